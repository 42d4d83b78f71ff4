# One test program: make -f testhello.mak FRAGMENT=x.mak SRC=testhello.c OUT=program
include $(FRAGMENT)
$(OUT): $(SRC)
	$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -o $@ $< $(GASNET_LDFLAGS) $(GASNET_LIBS)
