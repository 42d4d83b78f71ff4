//! Jobs that gasnetrun has another launcher start: mpirun, mpiexec, prterun or srun, found in PATH and told by its version which
//! options it has; or the command of MPIRUN_CMD or PMIRUN_CMD.

use gasnet::internal::env;
use gasnet::internal::launch::spawn::{self, quoted, quoted_all};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The value of `-spawner`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// MPIRUN_CMD, or the first mpirun or mpiexec.
    Mpi,
    /// PMIRUN_CMD, MPIRUN_CMD, srun in an allocation of Slurm, or hydra.
    Pmi,
    /// prterun, Open MPI's mpirun, or srun.
    Pmix,
    Slurm,
}

/// The parts of the command line.
pub struct Job<'a> {
    pub processes: u32,
    /// Of -spawner=mpi.
    pub launchers: &'a [&'a str],
    /// A job of smp is on one host.
    pub is_smp: bool,
    /// -m.
    pub placement: Option<String>,
    /// -N, -c and -E.
    pub hosts: Option<u32>,
    pub cores: Option<u32>,
    pub variables: Vec<String>,
    pub program: &'a Path,
    pub arguments: &'a [OsString],
}

/// Programs of one family have the same options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Family {
    OpenMpi,
    Hydra,
    Unknown,
}

impl Launcher {
    pub fn named(word: &str) -> Option<Launcher> {
        Some(match word {
            "mpi" => Launcher::Mpi,
            "pmi" => Launcher::Pmi,
            "pmix" => Launcher::Pmix,
            "slurm" | "srun" => Launcher::Slurm,
            _ => return None,
        })
    }

    /// The launcher of the batch system in whose allocation this process runs, if it is not part of a step itself.
    pub fn of_allocation() -> Option<Launcher> {
        // Slurm's own steps, an interactive one among them, have the highest numbers.
        const OWN_STEPS: u32 = 0xffff_fff0;
        let in_step =
            env::raw("SLURM_STEP_ID").is_some_and(|step| step.parse().is_ok_and(|step: u32| step < OWN_STEPS));
        let allocated = env::raw("SLURM_JOB_ID").is_some_and(|job| !job.is_empty());
        (allocated && !in_step && in_path("srun").is_some()).then_some(Launcher::Slurm)
    }

    /// The command that starts `job`.
    pub fn command(self, job: &Job<'_>) -> Result<Vec<OsString>, String> {
        let not_placed = |by: &str| match &job.placement {
            Some(_) => Err(format!("-m: of the launchers only srun has it; write the option of {by} into its command")),
            None => Ok(()),
        };
        let variables: &[&str] = match self {
            Launcher::Mpi => &["MPIRUN_CMD"],
            Launcher::Pmi => &["PMIRUN_CMD", "MPIRUN_CMD"],
            Launcher::Pmix | Launcher::Slurm => &[],
        };
        let set = |name: &&&str| env::raw(name).is_some_and(|text| !text.trim().is_empty());
        if let Some(name) = variables.iter().find(set) {
            not_placed(name)?;
            return by_template(name, &env::raw(name).unwrap_or_default(), job);
        }
        let hosts = spawn::named_hosts()?.unwrap_or_default();
        let hosts: Vec<(String, u32)> = hosts.into_iter().map(|host| (host.name, host.slots)).collect();
        let srun = |protocol| in_path("srun").map(|path| by_srun(&path, protocol, job, &hosts));
        let in_slurm = env::raw("SLURM_JOB_ID").is_some();
        let found = match self {
            Launcher::Mpi => first(job.launchers, |_| true, job, &hosts)?,
            Launcher::Pmi if in_slurm => srun("pmi2"),
            Launcher::Pmi => first(&["mpiexec.hydra", "mpiexec", "mpirun"], |it| it == Family::Hydra, job, &hosts)?,
            Launcher::Pmix if in_slurm => srun("pmix"),
            Launcher::Pmix => {
                let names = ["prterun", "mpirun", "mpirun.openmpi", "mpiexec"];
                first(&names, |it| it == Family::OpenMpi, job, &hosts)?.or_else(|| srun("pmix"))
            }
            Launcher::Slurm => srun("pmi2"),
        };
        found.ok_or_else(|| match self {
            Launcher::Mpi => format!("-spawner=mpi: none of {} is in PATH (MPIRUN_CMD)", job.launchers.join(", ")),
            Launcher::Pmi => {
                "-spawner=pmi: no mpiexec of MPICH (hydra) in PATH, nor srun in an allocation (PMIRUN_CMD)".to_string()
            }
            Launcher::Pmix => "-spawner=pmix: no prterun, mpirun of Open MPI or srun in PATH".to_string(),
            Launcher::Slurm => "-spawner=slurm: no srun in PATH".to_string(),
        })
    }
}

/// A shell's command line, with the number, the program and the arguments in place of %N, %P, %A; %C is `%P %A`, %H the file that
/// GASNET_NODEFILE names.
fn by_template(name: &str, template: &str, job: &Job<'_>) -> Result<Vec<OsString>, String> {
    for (option, given) in [("-N", job.hosts), ("-c", job.cores)] {
        if given.is_some() {
            return Err(format!("{option}: write the launcher's own option for it into {name}"));
        }
    }
    let arguments = || job.arguments.iter().map(OsString::as_os_str);
    let program = job.program.as_os_str();
    let value = |letter| match letter {
        'N' => Some(job.processes.to_string().into_bytes()),
        'P' => Some(quoted(program)),
        'A' => Some(quoted_all(arguments())),
        'C' => Some(quoted_all([program].into_iter().chain(arguments()))),
        'H' => Some(quoted(OsStr::new(&env::raw("GASNET_NODEFILE").unwrap_or_default()))),
        _ => None,
    };
    let bare = template.replace("%%", "");
    if !bare.contains("%C") && !bare.contains("%P") {
        return Err(format!("{name} lacks %C, which stands for the program and its arguments"));
    }
    let line = spawn::filled(name, template, "%N %P %A %C %H", value)?;
    Ok(["/bin/sh".into(), "-c".into(), line].into())
}

/// The command of the first of `names` in PATH whose family is wanted.
fn first(
    names: &[&str],
    wanted: impl Fn(Family) -> bool,
    job: &Job<'_>,
    hosts: &[(String, u32)],
) -> Result<Option<Vec<OsString>>, String> {
    for path in names.iter().filter_map(|name| in_path(name)) {
        let family = family(&path);
        if wanted(family) {
            if job.placement.is_some() {
                return Err(format!("-m: of the launchers only srun has it, not {}", path.display()));
            }
            return Ok(Some(match family {
                Family::OpenMpi => by_open_mpi(&path, job, hosts),
                Family::Hydra => by_hydra(&path, job, hosts),
                Family::Unknown => by_standard(&path, job, hosts)?,
            }));
        }
    }
    Ok(None)
}

fn family(path: &Path) -> Family {
    let said = Command::new(path).arg("--version").output();
    let said = said.map(|out| [out.stdout, out.stderr].concat()).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    if has(&["Open MPI", "OpenRTE", "PRRTE", "prterun"]) {
        Family::OpenMpi
    } else if has(&["HYDRA", "MPICH", "Intel(R) MPI"]) {
        Family::Hydra
    } else {
        Family::Unknown
    }
}

fn each(job: &Job<'_>) -> Option<u32> {
    job.hosts.map(|hosts| job.processes.div_ceil(hosts))
}

fn by_open_mpi(path: &Path, job: &Job<'_>, hosts: &[(String, u32)]) -> Vec<OsString> {
    let mut words = Words::new(path, "-np", job);
    if !hosts.is_empty() {
        words.add("--host", hosts.iter().map(|(name, slots)| format!("{name}:{slots}")).collect::<Vec<_>>().join(","));
    }
    let cores = job.cores.map(|cores| format!("PE={cores}"));
    match (each(job), cores) {
        (Some(each), Some(cores)) => words.add("--map-by", format!("ppr:{each}:node:{cores}")),
        (Some(each), None) => words.add("--map-by", format!("ppr:{each}:node")),
        (None, Some(cores)) => words.add("--map-by", format!("slot:{cores}")),
        (None, None) => {}
    }
    // It passes none to other hosts.
    let own = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let own = own.filter(|name| name.starts_with("GASNET"));
    let set = job.variables.iter().filter(|name| env::raw(name).is_some()).cloned();
    for name in own.chain(set) {
        words.add("-x", name);
    }
    words.end(job)
}

/// It passes all variables by itself.
fn by_hydra(path: &Path, job: &Job<'_>, hosts: &[(String, u32)]) -> Vec<OsString> {
    let mut words = Words::new(path, "-n", job);
    if !hosts.is_empty() {
        words.add("-hosts", hosts.iter().map(|(name, slots)| format!("{name}:{slots}")).collect::<Vec<_>>().join(","));
    }
    if let Some(each) = each(job) {
        words.add("-ppn", each.to_string());
    }
    if let Some(cores) = job.cores {
        words.add("-bind-to", format!("hwthread:{cores}"));
    }
    words.end(job)
}

/// A launcher of which only the options are known that the MPI standard recommends.
fn by_standard(path: &Path, job: &Job<'_>, hosts: &[(String, u32)]) -> Result<Vec<OsString>, String> {
    let too_many = [("-N", job.hosts.is_some()), ("-c", job.cores.is_some()), ("a list of hosts", !hosts.is_empty())];
    if let Some((option, _)) = too_many.into_iter().find(|(_, given)| *given) {
        return Err(format!(
            "{option}: the options of {} are not known: write its command into MPIRUN_CMD",
            path.display()
        ));
    }
    Ok(Words::new(path, "-n", job).end(job))
}

/// It passes all variables by itself.
fn by_srun(path: &Path, protocol: &str, job: &Job<'_>, hosts: &[(String, u32)]) -> Vec<OsString> {
    let mut words = Words::new(path, "-n", job);
    let hosts_wanted = job.hosts.or(job.is_smp.then_some(1));
    for (option, number) in [("-N", hosts_wanted), ("-c", job.cores)] {
        if let Some(number) = number {
            words.add(option, number.to_string());
        }
    }
    if let Some(placement) = &job.placement {
        words.add("-m", placement.clone());
    }
    if !hosts.is_empty() {
        words.add("-w", hosts.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(","));
    }
    let out = Command::new(path).arg("--mpi=list").output();
    let listed = out.map(|out| [out.stdout, out.stderr].concat()).unwrap_or_default();
    if String::from_utf8_lossy(&listed).split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == protocol) {
        words.0.push(format!("--mpi={protocol}").into());
    }
    words.end(job)
}

struct Words(Vec<OsString>);

impl Words {
    fn new(path: &Path, number: &str, job: &Job<'_>) -> Words {
        let mut words = Words(vec![path.into()]);
        words.add(number, job.processes.to_string());
        words
    }

    fn add(&mut self, option: &str, value: String) {
        self.0.extend([option.into(), value.into()]);
    }

    fn end(mut self, job: &Job<'_>) -> Vec<OsString> {
        self.0.push(job.program.into());
        self.0.extend_from_slice(job.arguments);
        self.0
    }
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::raw("PATH").unwrap_or_default();
    path.split(':').map(|dir| Path::new(dir).join(name)).find(|path| crate::problem(path).is_none())
}
