/* ofi: ranks on any hosts, over the machine's libfabric; those of one host share memory. */
#ifndef GASNETI_CONDUIT_H
#define GASNETI_CONDUIT_H
#define GASNET_CONDUIT_OFI 1
#define GASNET_CORE_NAME OFI
#define GASNET_CORE_NAME_STR "OFI"
#define GASNET_CORE_VERSION 1.0
#define GASNET_CORE_VERSION_STR "1.0"
#define GASNET_EXTENDED_NAME OFI
#define GASNET_EXTENDED_NAME_STR "OFI"
#define GASNET_EXTENDED_VERSION 1.0
#define GASNET_EXTENDED_VERSION_STR "1.0"
#define GASNET_CONDUIT_NAME GASNET_CORE_NAME
#define GASNET_CONDUIT_NAME_STR GASNET_CORE_NAME_STR
/* As the client record spells it. */
#define GASNETI_CONDUIT_ID "ofi"
#endif
