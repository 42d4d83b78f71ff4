/* Texts for messages about non-contiguous transfers. GASNet-1 and EX describe strided and vector transfers
   differently, with fewer arguments in GASNet-1: in its clients, which may use both, their number says which. gasnet.h
   includes this again, for clients that had the tools before it. */
#if defined(_INCLUDED_GASNET_H) && !defined(GASNETI_TOOLS_FORMAT_H) && !defined(GASNETT_LITE_MODE)
#define GASNETI_TOOLS_FORMAT_H

#define GASNETI_TWELFTH(a, b, c, d, e, f, g, h, i, j, k, twelfth, ...) twelfth
#define gasnett_format_putsgets(...) \
  GASNETI_TWELFTH(__VA_ARGS__, gasnett_format_putsgets, _, gasneti_format_strided, _, _, _, _, _, _, _, _)(__VA_ARGS__)
#define gasnett_format_putvgetv(...) \
  GASNETI_TWELFTH(__VA_ARGS__, _, _, _, _, gasnett_format_putvgetv, gasneti_format_putvgetv, _, _, _, _, _)(__VA_ARGS__)
#define gasneti_format_putvgetv(buf, node, dstcount, dstlist, srccount, srclist) \
  (gasnett_format_putvgetv)(buf, NULL, node, dstcount, dstlist, srccount, srclist)
#define gasnett_format_putigeti(...) \
  GASNETI_TWELFTH(__VA_ARGS__, _, _, gasnett_format_putigeti, gasneti_format_putigeti, _, _, _, _, _, _, _)(__VA_ARGS__)
#define gasneti_format_putigeti(buf, node, dstcount, dstlist, dstlen, srccount, srclist, srclen) \
  (gasnett_format_putigeti)(buf, NULL, node, dstcount, dstlist, dstlen, srccount, srclist, srclen)

#endif
