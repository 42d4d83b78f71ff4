//! `mutants MODULE,…|all SAMPLE SEED DIRECTORY`: how many small faults, put into the source one at a time, do the tests find?
//!
//! A random sample of the faults that cargo-mutants lists is woven into a copy of the tree (`weave.rs`), which is built
//! once. Each fault is judged by the tests of its module (`capi-tests/mutants`): Rust's, then the C tests on one
//! host and on two, until one fails; a fault that none of them finds by those of the line `rest`. A test past its limit
//! (several times its time without a fault) is tried again with twice the limit; faults that end so are counted apart.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::Value;

use crate::weave::{self, Fault};

/// A line of `capi-tests/mutants`: name, files, Rust tests, C tests on one host, on two, and over conduit loopback.
type Module<'a> = [&'a str; 6];

/// The woven tree and its builds.
struct Built {
    tree: PathBuf,
    target: PathBuf,
    install: PathBuf,
    /// The Rust test programs, by source file.
    tests: BTreeMap<String, PathBuf>,
}

/// Writes `text` unless the file says it already, so that cargo sees changes only.
fn put(path: &Path, text: &[u8]) -> Result<(), String> {
    if std::fs::read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let dir = path.parent().unwrap_or(path);
    std::fs::create_dir_all(dir)
        .and_then(|()| std::fs::write(path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}

fn output(command: &mut Command) -> Result<Output, String> {
    command.stdin(Stdio::null()).output().map_err(|e| format!("{}: {e}", Path::new(command.get_program()).display()))
}

/// Copies the files of `root` that git tracks, with the faults woven in that are not in `bad`.
fn copy(root: &Path, tree: &Path, faults: &[Fault], bad: &BTreeSet<usize>) -> Result<(), String> {
    let files = output(Command::new("git").args(["ls-files", "-z"]).current_dir(root))?.stdout;
    for file in String::from_utf8_lossy(&files).split('\0') {
        let Ok(mut text) = std::fs::read(root.join(file)) else { continue };
        let numbered = faults.iter().enumerate().map(|(i, fault)| (i + 1, fault));
        let here: Vec<_> = numbered.filter(|(n, fault)| fault.file == file && !bad.contains(n)).collect();
        if !here.is_empty() {
            text = weave::weave(&String::from_utf8_lossy(&text), &here).into_bytes();
        }
        if file == "src/lib.rs" {
            text.extend_from_slice(b"\nmod mutant;\n");
        }
        put(&tree.join(file), &text)?;
        std::fs::metadata(root.join(file))
            .and_then(|of| std::fs::set_permissions(tree.join(file), of.permissions()))
            .map_err(|e| format!("{file}: {e}"))?;
    }
    put(&tree.join("src/mutant.rs"), weave::NOW.as_bytes())
}

impl Built {
    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.tree).env("CARGO_TARGET_DIR", &self.target).env_remove("MUTANT");
        // The library that C tests use is built quickly.
        for (name, value) in [("LTO", "off"), ("CODEGEN_UNITS", "16"), ("OPT_LEVEL", "1"), ("DEBUG", "false")] {
            command.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
        }
        command
    }

    /// Also the numbers of the faults that do not compile.
    fn build(root: &Path, dir: &Path, faults: &[Fault]) -> Result<(Built, BTreeSet<usize>), String> {
        let [tree, target, install] = ["tree", "target", "install"].map(|name| dir.join(name));
        let mut built = Built { tree, target, install, tests: BTreeMap::new() };
        // Faults that do not compile are remembered, so that nothing is built again for more tests.
        let known = std::fs::read_to_string(dir.join("bad")).unwrap_or_default();
        let known: BTreeSet<&str> = known.lines().collect();
        let mut bad: BTreeSet<usize> =
            (1..=faults.len()).filter(|n| known.contains(faults[n - 1].name.as_str())).collect();
        loop {
            copy(root, &built.tree, faults, &bad)?;
            let mut cargo = built.command("cargo");
            cargo.args(["test", "--no-run", "--lib", "--message-format=short"]);
            cargo.args(["--test", "udp_sim", "--test", "fuzz", "--test", "survivors"]);
            let out = output(&mut cargo)?;
            let said = String::from_utf8_lossy(&out.stderr);
            if out.status.success() {
                let named = said.lines().filter_map(|l| l.trim().strip_prefix("Executable ")?.rsplit_once(" ("));
                let named = named.map(|(of, exe)| (of, built.tree.join(exe.trim_end_matches(')'))));
                built.tests = named.map(|(of, exe)| (of.replace("unittests ", ""), exe)).collect();
                break;
            }
            let before = bad.len();
            for line in said.lines().filter(|l| l.contains(": error")) {
                let mut parts = line.split(':');
                let text = std::fs::read_to_string(built.tree.join(parts.next().unwrap_or_default()));
                let at = parts.next().and_then(|n| n.parse().ok());
                bad.extend(at.and_then(|at| weave::fault_at(&text.unwrap_or_default(), at)));
            }
            if bad.len() == before {
                return Err(format!("the woven tree does not build:\n{said}"));
            }
        }
        put(&dir.join("bad"), bad.iter().map(|n| faults[n - 1].name.clone() + "\n").collect::<String>().as_bytes())?;
        let out = output(built.command("make").args(["install", &format!("PREFIX={}", built.install.display())]))?;
        if out.status.success() { Ok((built, bad)) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
    }

    /// Runs a command with fault `number`: whether it passed, and whether its time was over.
    fn passes(number: usize, mut command: Command) -> (bool, bool) {
        command.env("MUTANT", number.to_string());
        let Ok(out) = output(&mut command) else { return (false, false) };
        let said = String::from_utf8_lossy(&out.stdout);
        let late = [": exit 124,", ": exit 137,"].iter().any(|end| said.contains(end));
        (out.status.success(), !out.status.success() && (late || matches!(out.status.code(), Some(124 | 137))))
    }

    /// The commands that judge a module, each test with `limit` seconds, and in which column a fault is counted that fails.
    fn judges(&self, [name, _, rust, smp, hosts, loopback]: Module, limit: u64) -> Vec<(&'static str, Command)> {
        let mut all = Vec::new();
        for test in rust.split_whitespace() {
            let (file, filter) = test.split_once(':').unwrap_or((test, ""));
            let file = if file == "lib" { "src/lib.rs".into() } else { format!("tests/{file}.rs") };
            let mut command = self.command("timeout");
            command.args(["-k", "5", &limit.to_string()]).args(self.tests.get(&file)).args(["-q", filter]);
            command.env("GASNET_SIM_MS", "1000").env("GASNET_FUZZ_MS", "300");
            all.push(("Rust", command));
        }
        let lists = [(smp, "smp"), (hosts, "udp"), (loopback, "loopback")];
        for (tests, conduit) in lists.into_iter().filter(|(tests, _)| !tests.is_empty()) {
            let mut run = self.command("bash");
            run.arg("capi-tests/run").args(tests.split(' ')).env("PREFIX", &self.install);
            run.env("PKG_CONFIG_PATH", self.install.join("lib/pkgconfig")).env("LIMIT", limit.to_string());
            run.env("BIN", self.target.join("c")).env("BUILD", self.target.join("c-out")).env("CLIENT", "smp");
            run.env("FIRST", "1").env("GASNET_CONDUIT", conduit);
            if name != "rest" {
                run.env("JOBS", "1");
            }
            let configs = match conduit {
                "udp" => {
                    run.env("CONDUIT", "udp").env("GASNET_UDP_LOCAL_HOSTS", "2").env("GASNET_SUPERNODE_MAXSIZE", "2");
                    "par.so.inline:::4"
                }
                "loopback" => {
                    run.env("GASNET_SUPERNODE_MAXSIZE", "1");
                    "par.so.inline:::3"
                }
                _ => "par.so.inline:::3 par.so.debug:am::3",
            };
            run.env("CONFIGS", configs);
            all.push(("C", run));
        }
        all
    }

    /// Twice without a fault, as the first run compiles the C tests: each judge's limit, from the time of its longest test.
    fn limits(&self, module: Module) -> Result<Vec<u64>, String> {
        let mut limits = Vec::new();
        for _ in 0..2 {
            limits.clear();
            for (kind, command) in self.judges(module, 120) {
                let began = Instant::now();
                if !Built::passes(0, command).0 {
                    return Err(format!("{}: the {kind} tests fail without a fault: {:?}", module[0], self.target));
                }
                let times = std::fs::read_to_string(self.target.join("c-out/times")).unwrap_or_default();
                let longest = times.split(' ').next().and_then(|ms| ms.parse::<u64>().ok()).unwrap_or(0) / 1000;
                limits.push(10 + 5 * if kind == "C" { longest } else { began.elapsed().as_secs() });
            }
        }
        Ok(limits)
    }

    /// Which tests find the fault.
    fn found_by(&self, number: usize, module: Module, limits: &[u64]) -> &'static str {
        for (which, &limit) in limits.iter().enumerate() {
            for again in [false, true] {
                let (kind, command) = self.judges(module, limit << u32::from(again)).swap_remove(which);
                match Built::passes(number, command) {
                    (true, _) => break,
                    (_, false) => return kind,
                    (_, true) if again => return "late",
                    _ => {}
                }
            }
        }
        "none"
    }
}

pub fn run(root: &Path, which: &str, sample: usize, seed: u64, dir: &Path) -> Result<(), String> {
    let table =
        std::fs::read_to_string(root.join("capi-tests/mutants")).map_err(|e| format!("capi-tests/mutants: {e}"))?;
    let lines = table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(';').map(str::trim));
    let mut modules: Vec<Module> = lines.filter_map(|l| l.collect::<Vec<_>>().try_into().ok()).collect();
    let rest =
        modules.pop().filter(|last| last[0] == "rest").ok_or("capi-tests/mutants: its last line is not `rest`")?;
    let names: Vec<&str> = modules.iter().map(|m| m[0]).collect();
    let no_such = format!("MODULE={which} is not one of {}, all", names.join(", "));
    let wanted: Vec<&str> = which.split(',').collect();
    if !wanted.iter().all(|name| *name == "all" || names.contains(name)) {
        return Err(no_such);
    }
    modules.retain(|module| wanted.contains(&"all") || wanted.contains(&module[0]));
    let mut cargo = Command::new("cargo");
    cargo.args(["mutants", "--list", "--json", "-p", "gasnet"]).current_dir(root);
    for file in modules.iter().flat_map(|m| m[1].split(' ')) {
        cargo.args(["-f", &format!("{file}{}", if file.ends_with('/') { "**" } else { "" })]);
    }
    let listed = output(&mut cargo)?;
    if !listed.status.success() {
        return Err("needs cargo-mutants: cargo install --locked cargo-mutants".into());
    }
    let listed: Vec<Value> = serde_json::from_slice(&listed.stdout).map_err(|e| format!("cargo mutants: {e}"))?;
    let (mut chosen, mut all) = (Vec::new(), Vec::new());
    for (i, module) in modules.iter().enumerate() {
        let (mut found, number) = weave::faults(&listed, root, module[1], i, seed);
        println!("{}: {number} faults, {} of them can be woven", module[0], found.len());
        found.truncate(sample);
        all.push(number);
        chosen.extend(found);
    }
    let listed =
        chosen.iter().enumerate().map(|(n, fault)| format!("{} {} {}\n", n + 1, modules[fault.module][0], fault.name));
    put(&dir.join("faults"), listed.collect::<String>().as_bytes())?;
    let (built, bad) = Built::build(root, dir, &chosen)?;
    println!("{} chosen, {} do not compile", chosen.len(), bad.len());
    let mut rows = String::new();
    let rest_limits = built.limits(rest)?;
    for (i, module) in modules.iter().enumerate() {
        let limits = built.limits(*module)?;
        let mut count = BTreeMap::<&str, usize>::new();
        for (n, fault) in chosen.iter().enumerate().filter(|(n, f)| f.module == i && !bad.contains(&(n + 1))) {
            let by = match built.found_by(n + 1, *module, &limits) {
                "none" if built.found_by(n + 1, rest, &rest_limits) != "none" => "rest",
                by => by,
            };
            *count.entry(by).or_default() += 1;
            println!("{by} MUTANT={} {}", n + 1, fault.name);
        }
        let [rust, c, late, others, none] =
            ["Rust", "C", "late", "rest", "none"].map(|by| count.get(by).copied().unwrap_or(0));
        let n = (rust + c + late + others + none) as f64;
        // Wilson's interval.
        let (p, z) = (1.0 - none as f64 / n, 1.96_f64);
        let (middle, half) = (p + z * z / (2.0 * n), z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt());
        let [low, high] = [middle - half, middle + half].map(|x| 100.0 * x / (1.0 + z * z / n));
        let (name, all, p) = (module[0], all[i], 100.0 * p);
        rows += &format!(
            "{name:8}{all:6}{n:8}{rust:6}{c:6}{late:6}{others:6}{none:6}  {p:.0} % ({low:.0} to {high:.0} %)\n"
        );
    }
    print!("module  faults sampled  Rust     C  late  rest  none  found (of all faults, with 95 % confidence)\n{rows}");
    Ok(())
}
