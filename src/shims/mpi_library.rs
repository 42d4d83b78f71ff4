//! Finds the MPI that this process is to use, among the libraries of three families with different binary interfaces: Open
//! MPI (4 and 5), MPICH (4, 5, Intel MPI), and the MPI standard's own. In this order: the library that `GASNET_MPI_LIB` names;
//! one that is already in the process, because the client uses it; that of the launcher, which the environment shows, beside
//! the launcher's programs in PATH first; any that can be opened.

use core::ffi::{CStr, c_void};
use std::ffi::CString;
use std::path::{Path, PathBuf};

use crate::env;
use crate::os::dl::{self, OpenLibrary};

/// A family of libraries with one binary interface.
struct MpiFamily {
    /// Of the shim: `conduit-mpi-NAME.so`.
    name: &'static str,
    /// A function or object that only libraries of this family have.
    sign: &'static CStr,
    files: &'static [&'static str],
    /// Its name, and that of Debian's package.
    title: &'static str,
    package: &'static str,
    /// Variables that its launchers set.
    launched: &'static [&'static str],
}

const FAMILIES: [MpiFamily; 3] = [
    MpiFamily {
        name: "ompi",
        sign: c"ompi_mpi_comm_world",
        files: &["libmpi.so.40"],
        title: "Open MPI",
        package: "libopenmpi3",
        launched: &["OMPI_COMM_WORLD_SIZE", "OMPI_MCA_ess_base_jobid", "PRTE_NUM_PROCS"],
    },
    MpiFamily {
        name: "mpich",
        sign: c"MPIR_Err_return_win",
        files: &["libmpi.so.12", "libmpich.so.12"],
        title: "MPICH",
        package: "libmpich12",
        launched: &["PMI_FD", "PMI_PORT", "PMI_RANK", "HYDI_CONTROL_FD", "MPI_LOCALNRANKS"],
    },
    MpiFamily {
        name: "abi",
        sign: c"MPI_Abi_get_version",
        files: &["libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi_abi.so"],
        title: "the MPI ABI",
        package: "none",
        launched: &[],
    },
];

/// The MPI of this process.
pub(crate) struct FoundMpi {
    pub family: &'static str,
    pub file: String,
    /// The program itself is linked to it.
    pub is_programs: bool,
}

fn family_of(library: &OpenLibrary, file: &str) -> Option<&'static MpiFamily> {
    // MPICH 5 has the functions of the standard's interface in its own library too.
    if file.contains("libmpi_abi") {
        return FAMILIES.iter().find(|family| family.name == "abi");
    }
    FAMILIES.iter().find(|family| library.symbol(family.sign).is_some())
}

fn opened(file: &str) -> Option<OpenLibrary> {
    OpenLibrary::open_with_modules(&CString::new(file).ok()?)
}

/// The directories of libraries beside the launchers in PATH: `../lib` of each, the first found first.
fn beside_launchers() -> Vec<PathBuf> {
    let path = env::raw("PATH").unwrap_or_default();
    let of_launcher = |dir: &str| {
        let dir = Path::new(dir);
        let has = ["mpiexec", "mpirun"].iter().any(|name| dir.join(name).exists());
        has.then(|| dir.parent().map(|prefix| prefix.join("lib"))).flatten()
    };
    // The system's own directories are searched anyway.
    path.split(':').filter(|dir| !matches!(*dir, "/usr/bin" | "/bin")).filter_map(of_launcher).collect()
}

/// The addresses of the families' signs in a library.
fn signs_of(library: &OpenLibrary) -> [Option<*mut c_void>; FAMILIES.len()] {
    FAMILIES.each_ref().map(|family| library.symbol(family.sign))
}

/// The MPI that the program itself uses.
struct ProgramsMpi {
    family: Option<&'static MpiFamily>,
    file: String,
    signs: [Option<*mut c_void>; FAMILIES.len()],
}

impl ProgramsMpi {
    /// To be called before a library is opened, whose functions are those of the process, too.
    fn find() -> Option<ProgramsMpi> {
        let process = OpenLibrary::of_process()?;
        let at = process.symbol(c"MPI_Init")?;
        let file = dl::file_of(at.cast_const()).unwrap_or_default().display().to_string();
        Some(ProgramsMpi { family: family_of(&process, &file), file, signs: signs_of(&process) })
    }
}

fn named(file: &str, of_program: Option<ProgramsMpi>) -> Result<FoundMpi, String> {
    let library = opened(file).ok_or_else(|| format!("GASNET_MPI_LIB={file} cannot be opened: {}", dl::why()))?;
    let family = family_of(&library, file)
        .ok_or_else(|| format!("GASNET_MPI_LIB={file} is neither Open MPI nor MPICH nor a library of the MPI ABI"))?;
    let is_programs = of_program.is_some();
    // The calls of a shim would go to the library that was there first.
    if let Some(of_program) = of_program.filter(|of_program| of_program.signs != signs_of(&library)) {
        return Err(format!(
            "GASNET_MPI_LIB={file} is another MPI than {}, to which the program is linked: a process has one MPI",
            of_program.file
        ));
    }
    Ok(FoundMpi { family: family.name, file: file.to_string(), is_programs })
}

/// Opens it. An error is a line for the user.
pub(crate) fn open() -> Result<FoundMpi, String> {
    let of_program = ProgramsMpi::find();
    if let Some(file) = env::str("GASNET_MPI_LIB") {
        return named(&file, of_program);
    }
    if let Some(ProgramsMpi { family, file, .. }) = of_program {
        return match family {
            Some(family) => Ok(FoundMpi { family: family.name, file, is_programs: true }),
            None => {
                Err(format!("the program's MPI ({file}) is neither Open MPI nor MPICH nor a library of the MPI ABI"))
            }
        };
    }
    let is_launchers = |family: &&MpiFamily| family.launched.iter().any(|name| env::raw(name).is_some());
    // Launchers of Open MPI set variables of PMI in some versions, so it comes first.
    let launchers = FAMILIES.iter().find(is_launchers);
    let rest = FAMILIES.iter().filter(|family| launchers.is_none_or(|of| of.name != family.name));
    let mut tried = Vec::new();
    for family in launchers.into_iter().chain(rest) {
        let beside = beside_launchers();
        let here = beside.iter().flat_map(|dir| family.files.iter().map(move |file| dir.join(file)));
        let here = here.filter(|path| path.exists()).map(|path| path.display().to_string());
        for file in here.chain(family.files.iter().map(ToString::to_string)) {
            if opened(&file).is_some() {
                return Ok(FoundMpi { family: family.name, file, is_programs: false });
            }
            tried.push(file);
        }
        if launchers.is_some_and(|of| of.name == family.name) {
            return Err(format!(
                "conduit mpi: the launcher is that of {}, but its library cannot be opened (tried {}): install it (Debian: {}), or \
                 GASNET_MPI_LIB or LD_LIBRARY_PATH names it",
                family.title,
                tried.join(", "),
                family.package
            ));
        }
    }
    Err(format!(
        "conduit mpi: no MPI library can be opened (tried {}): install Open MPI or MPICH (Debian: libopenmpi3 or libmpich12), \
         or GASNET_MPI_LIB names one",
        tried.join(", ")
    ))
}
