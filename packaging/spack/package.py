# Copyright The libgasnet authors.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

# In a repository of packages of your own: packages/libgasnet/package.py.
import os

from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *

# Conduits over communication libraries.
shims = ("mpi", "shmem", "ucx", "ofi")


class Libgasnet(MakefilePackage):
    """GASNet, the communication layer of PGAS runtimes (Active Messages, one-sided put and
    get, remote atomics, collectives), with the C interfaces of GASNet-EX and GASNet-1."""

    homepage = "https://example.org/libgasnet"
    url = "https://example.org/libgasnet/libgasnet-1.0.0.tar.gz"

    license("Apache-2.0 OR MIT")

    # Of the archive of `make dist`, which has the sources of all crates: nothing else is fetched.
    version("1.0.0", sha256="0" * 64)

    variant("mpi", default=False, description="Build the shim of the conduit over MPI")
    variant("shmem", default=False, description="Build the shim of the conduit over OpenSHMEM")
    variant("ucx", default=False, description="Build the shim of the conduit over UCX")
    variant("ofi", default=False, description="Build the shim of the conduit over libfabric")

    depends_on("c", type="build")
    depends_on("rust@1.85:", type="build")
    depends_on("gmake", type="build")
    depends_on("binutils", type="build")
    depends_on("pkgconfig", type="build")
    # Their libraries are opened when a job runs; the headers are needed to build the shims.
    depends_on("mpi", when="+mpi")
    depends_on("openmpi@4:", when="+shmem")
    depends_on("ucx@1.10:", when="+ucx")
    depends_on("libfabric@1.17:", when="+ofi")

    conflicts("platform=darwin", msg="libgasnet is for Linux")
    conflicts("platform=windows", msg="libgasnet is for Linux")
    requires("target=x86_64:", msg="libgasnet is for x86-64")

    @property
    def layout(self):
        conduits = ["smp", "udp"] + [c for c in shims if f"+{c}" in self.spec]
        return [f"PREFIX={self.prefix}", f"CONDUIT={' '.join(conduits)}"]

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        if "+mpi" in self.spec:
            env.set("MPICC", self.spec["mpi"].mpicc)
        if "+shmem" in self.spec:
            env.set("OSHCC", self.spec["openmpi"].prefix.bin.oshcc)
        if "+ucx" in self.spec:
            env.set("UCX_HOME", self.spec["ucx"].prefix)
        if "+ofi" in self.spec:
            fabric = self.spec["libfabric"].prefix
            link = f"-L{fabric.lib} -Wl,-rpath,{fabric.lib} -lfabric"
            env.set("OFI_FLAGS", f"-I{fabric.include} {link}")

    def build(self, spec, prefix):
        make(*self.layout, "stage")

    def install(self, spec, prefix):
        make(*self.layout, "install")

    @run_after("install")
    def check_shims(self):
        """The Makefile only notes a shim that it cannot build."""
        for conduit in shims:
            built = find(self.prefix.lib.gasnet, f"conduit-{conduit}*.so")
            if f"+{conduit}" in self.spec and not built:
                raise InstallError(f"no shim of conduit {conduit} was built")

    @run_after("install")
    def keep_example(self):
        cache_extra_test_sources(self, ["examples/hello.c"])

    def test_hello(self):
        """four ranks greet each other"""
        source = join_path(self.test_suite.current_test_cache_dir, "examples", "hello.c")
        cc = which(os.environ["CC"], required=True)
        flags = [f"-I{self.prefix.include}", f"-I{self.prefix.include.join('smp-conduit')}"]
        libs = [f"-L{self.prefix.lib}", "-lgasnet-smp-par", "-lpthread", "-lm"]
        cc("-DGASNET_PAR", "-D_REENTRANT", "-D_GNU_SOURCE=1", *flags, source, "-o", "hello", *libs)
        run = which(self.prefix.bin.gasnetrun_smp, required=True)
        output = run("-n", "4", "./hello", output=str.split, error=str.split)
        assert "hello: 4 ranks greeted" in output
