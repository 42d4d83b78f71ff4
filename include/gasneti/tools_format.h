/* Texts for messages about non-contiguous transfers. GASNet-1 and EX describe strided and vector transfers
   differently: these names follow the header that the client uses. */
#ifndef GASNETI_TOOLS_FORMAT_H
#define GASNETI_TOOLS_FORMAT_H

#if (defined(_GASNET_H) || defined(_INCLUDED_GASNET_H)) && !defined(_INCLUDED_GASNETEX_H)
#define gasnett_format_putsgets(buf, pstats, node, dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels) \
  gasneti_format_strided(buf, pstats, node, dstaddr, dststrides, srcaddr, srcstrides, count, stridelevels)
#define gasnett_format_putvgetv(buf, node, dstcount, dstlist, srccount, srclist) \
  (gasnett_format_putvgetv)(buf, NULL, node, dstcount, dstlist, srccount, srclist)
#define gasnett_format_putigeti(buf, node, dstcount, dstlist, dstlen, srccount, srclist, srclen) \
  (gasnett_format_putigeti)(buf, NULL, node, dstcount, dstlist, dstlen, srccount, srclist, srclen)
#endif

#endif
