//! Checks the source against the tables of ARCHITECTURE.md: dependencies between modules, and the files with unsafe code.

use std::collections::{BTreeMap, BTreeSet};

#[path = "layering/sources.rs"]
mod sources;
use sources::{architecture, sources};

fn module_of(path: &str) -> &str {
    path.split('/').next().unwrap_or(path).trim_end_matches(".rs")
}

/// The first words after every `crate::`, also of a braced list.
fn used(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rest in code.split("crate::").skip(1) {
        let list = match rest.strip_prefix('{') {
            Some(inner) => top_level(inner),
            None => vec![rest],
        };
        for item in list {
            let name: String = item.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            names.insert(name);
        }
    }
    names.remove("");
    names
}

/// The items of `a::b, c::{d, e}}…` up to the brace that closes the list.
fn top_level(inner: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&inner[start..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// Cells of the table rows that follow the header which starts with `head`.
fn table<'a>(text: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    text.lines()
        .skip_while(|line| !line.starts_with(head))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect()
}

#[test]
fn a_module_uses_its_own_layer_and_those_below() {
    let text = architecture();
    let mut layer = BTreeMap::new();
    for row in table(&text, "| layer |") {
        for module in row[1].split(' ') {
            layer.insert(module, row[0].parse::<u32>().expect("a layer is a number"));
        }
    }
    let mut wrong = Vec::new();
    for (path, code) in sources() {
        let from = module_of(&path);
        let Some(&at) = layer.get(from) else {
            wrong.push(format!("{path}: module {from} is in no layer"));
            continue;
        };
        for to in used(&code) {
            // Macros of fatal.rs are exported at the root.
            if layer.get(to.as_str()).is_some_and(|&below| below > at) {
                wrong.push(format!("{path}: {from} (layer {at}) uses {to}"));
            }
        }
    }
    for (path, calls) in calls_of_job(&sources()) {
        for (file, method) in calls {
            if layer.get(module_of(&file)) > layer.get(module_of(&path)) {
                wrong.push(format!("{path} calls Job::{method}, which {file} above it defines"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The leaves of a use tree: each with the name that it gets here.
fn leaves(prefix: &[String], tree: &str, found: &mut Vec<(Vec<String>, String)>) {
    let words =
        |path: &str| path.split("::").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect();
    if let Some((path, inner)) = tree.split_once('{') {
        let path: Vec<String> = words(path);
        let prefix = [prefix, &path].concat();
        let inner = &inner[..inner.rfind('}').unwrap_or(inner.len())];
        // The brace closes the list.
        top_level(&format!("{inner},}}")).into_iter().for_each(|item| leaves(&prefix, item, found));
        return;
    }
    let (path, name) =
        tree.split_once(" as ").map_or((tree, None), |(path, name)| (path, Some(name.trim().to_owned())));
    let path: Vec<String> = words(path);
    let mut path = [prefix, &path].concat();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    if let Some(last) = path.last().cloned() {
        found.push((path, name.unwrap_or(last)));
    }
}

/// The paths of two words or more in `code`.
fn paths(code: &str) -> Vec<Vec<String>> {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let all = code.split(|c| !is_path(c)).filter(|text| text.contains("::") && !text.starts_with(':'));
    all.map(|text| text.split("::").filter(|word| !word.is_empty()).map(str::to_owned).collect()).collect()
}

/// Which file imports from which, by `use` and by paths in the code, also of parents and children. A name that a file
/// passes on counts as that file's.
fn imports(sources: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let module = |file: &str| -> Vec<String> {
        file.trim_end_matches(".rs").trim_end_matches("/mod").split('/').map(str::to_owned).collect()
    };
    let files: BTreeMap<Vec<String>, &String> = sources.iter().map(|(file, _)| (module(file), file)).collect();
    let mut all = BTreeMap::new();
    for (file, code) in sources {
        let me = module(file);
        // From the root; None for items of another crate.
        let absolute = |path: &[String], names: &BTreeMap<String, Vec<String>>| -> Option<Vec<String>> {
            let known = names.get(&path[0]).map(|known| [known, &path[1..]].concat());
            let path = known.as_deref().unwrap_or(path);
            let ups = path.iter().take_while(|word| *word == "super").count();
            match path[0].as_str() {
                "crate" => Some(path[1..].to_vec()),
                "self" => Some([&me, &path[1..]].concat()),
                "super" => Some([me.get(..me.len().checked_sub(ups)?)?, &path[ups..]].concat()),
                _ => None,
            }
        };
        let file_of = |path: &[String]| (1..=path.len()).rev().find_map(|n| Some((n, *files.get(&path[..n])?)));
        let (mut names, mut used) = (BTreeMap::new(), BTreeSet::new());
        let mut trees = Vec::new();
        for line in code.lines().filter_map(|line| line.trim().strip_suffix(';')) {
            if let Some((_, child)) =
                line.rsplit_once("mod ").filter(|(before, _)| before.is_empty() || before.starts_with("pub"))
            {
                names.insert(child.to_owned(), vec!["self".to_owned(), child.to_owned()]);
            }
        }
        // Use trees have braces of their own: they end with a semicolon.
        let mut rest = String::new();
        for (at, part) in code.split("use ").enumerate() {
            let starts =
                rest.trim_end_matches(['\n', ' ']).ends_with([';', '}', '{', ']', ')']) || rest.trim().is_empty();
            let starts = starts || rest.ends_with("pub ") || rest.ends_with(") ");
            match part.split_once(';').filter(|_| at > 0 && starts) {
                Some((tree, after)) => {
                    trees.push(tree.to_owned());
                    rest.push_str(after);
                }
                None => rest.push_str(part),
            }
        }
        for tree in trees {
            let mut found = Vec::new();
            leaves(&[], &tree, &mut found);
            for (path, name) in found {
                let Some(path) = absolute(&path, &names) else { continue };
                if let Some((n, file)) = file_of(&path) {
                    if n < path.len() {
                        used.insert(file.clone());
                    }
                }
                names.insert(name, [&["crate".to_owned()][..], &path].concat());
            }
        }
        for path in paths(&rest) {
            if let Some((_, file)) = absolute(&path, &names).as_deref().and_then(file_of) {
                used.insert(file.clone());
            }
        }
        used.remove(file);
        all.insert(file.clone(), used);
    }
    all
}

/// The name of the function that a line declares, and whether others see it.
fn declared(line: &str) -> Option<(String, bool)> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let is_word =
        |word: &str| word.starts_with("pub") || ["const", "unsafe", "extern", "\"C\"", "\"C-unwind\""].contains(&word);
    let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty() && before.split_whitespace().all(is_word)).then_some((name, before.starts_with("pub")))
}

/// The byte ranges of blocks that begin with a line which `starts` knows and end with a brace at the margin.
fn blocks(code: &str, starts: impl Fn(&str) -> bool) -> Vec<std::ops::Range<usize>> {
    let (mut at, mut open, mut found) = (0, None, Vec::new());
    for line in code.split_inclusive('\n') {
        if starts(line.trim_end()) {
            open = Some(at);
        } else if line.starts_with('}') {
            if let Some(start) = open.take() {
                found.push(start..at);
            }
        }
        at += line.len();
    }
    found
}

/// The calls that each file makes of methods of `Job` which other files define, as (file, method). Any room can add methods to
/// `Job`, and any room that has a job can call them without an import. A call: `job.name(`, `job().name(`, `self.name(` inside
/// an `impl` for `Job`, `Job::name`, and `.name(` on anything where nothing else in the sources has a function of that name.
fn calls_of_job(sources: &[(String, String)]) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let (mut methods, mut others) = (BTreeMap::<String, BTreeSet<String>>::new(), BTreeSet::new());
    let mut seen_elsewhere = BTreeSet::new();
    for (file, code) in sources {
        let inherent = blocks(code, |line| line == "impl Job {");
        let mut at = 0;
        for line in code.split_inclusive('\n') {
            if let Some((name, is_seen)) = declared(line) {
                if inherent.iter().any(|block| block.contains(&at))
                    && line.starts_with("    ")
                    && !line.starts_with("     ")
                {
                    methods.entry(name.clone()).or_default().insert(file.clone());
                    is_seen.then(|| seen_elsewhere.insert(name));
                } else {
                    others.insert(name);
                }
            }
            at += line.len();
        }
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut all = BTreeMap::new();
    for (file, code) in sources {
        let own = blocks(code, |line| line.starts_with("impl") && line.ends_with("Job {"));
        let mut calls: BTreeSet<(String, String)> = BTreeSet::new();
        for (at, _) in code.match_indices('.').chain(code.match_indices("Job::")) {
            let is_path = code[at..].starts_with("Job::");
            let name: String = code[at + if is_path { 5 } else { 1 }..].chars().take_while(|c| is_name(*c)).collect();
            let Some(files) = methods.get(&name) else { continue };
            let after = code[at + 1..].trim_start_matches(is_name);
            if !is_path && !after.starts_with('(') && !after.starts_with("::<") {
                continue;
            }
            let before = code[..at].trim_end();
            let before = before.strip_suffix("()").unwrap_or(before);
            let receiver = &before[before.trim_end_matches(is_name).len()..];
            let is_own = receiver == "self" && own.iter().any(|block| block.contains(&at));
            if is_path || receiver == "job" || is_own || seen_elsewhere.contains(&name) && !others.contains(&name) {
                calls.extend(files.iter().filter(|other| *other != file).map(|other| (other.clone(), name.clone())));
            }
        }
        all.insert(file.clone(), calls);
    }
    all
}

#[test]
fn methods_of_job_are_arrows() {
    let source = |file: &str, code: &str| (file.to_owned(), code.to_owned());
    let sources = [
        source(
            "up.rs",
            "impl Job {\n    pub fn wait(&self) {\n        self.rare()\n    }\n    fn drain(&self) {}\n}\nfn f() {}",
        ),
        source("low.rs", "impl Job {\n    pub fn rare(&self) {\n        self\n            .wait();\n    }\n}"),
        source(
            "a.rs",
            "fn f(x: &X) {\n    job().wait::<u8>();\n    x.rare();\n    list.drain(..);\n    x.job.wait;\n}",
        ),
        source("b.rs", "impl X {\n    fn wait(&self) {\n        self.wait();\n        map(Job::wait)\n    }\n}"),
        source("c.rs", "fn f(x: &X) {\n    x.wait()\n}"),
    ];
    let calls = calls_of_job(&sources);
    let of = |file: &str| calls[file].iter().map(|(file, name)| format!("{file} {name}")).collect::<Vec<_>>();
    assert_eq!(of("up.rs"), ["low.rs rare"]);
    assert_eq!(of("low.rs"), ["up.rs wait"]);
    assert_eq!(of("a.rs"), ["low.rs rare", "up.rs wait"]);
    assert_eq!(of("b.rs"), ["up.rs wait"]);
    assert!(of("c.rs").is_empty());
}

/// Files from which an import leads, by way of others, back to them.
fn in_circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<&String> {
    let reaches_itself = |file: &&String| {
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![*file]);
        while let Some(at) = ahead.pop() {
            for next in &imports[at] {
                if next == *file {
                    return true;
                }
                if seen.insert(next) {
                    ahead.push(next);
                }
            }
        }
        false
    };
    imports.keys().filter(reaches_itself).collect()
}

#[test]
fn circles_are_seen_through_every_form_of_import() {
    let source = |file: &str, code: &str| (file.to_owned(), code.to_owned());
    let sources = [
        source("a.rs", "use crate::b::{self, c::{X, Y as Z}};\nfn f() {}"),
        source("b/mod.rs", "pub mod c;\npub mod d;\nfn f() { d::g() }"),
        source("b/c.rs", "pub(super) use std::f;\nfn g() { crate::e::E.h() }"),
        source("b/d.rs", "use super::f;"),
        source("e.rs", "use crate::a;\nfn f() { a::f() }"),
        source("f.rs", "use crate::e::{E, a as b};"),
    ];
    let imports = imports(&sources);
    assert_eq!(in_circles(&imports), ["a.rs", "b/c.rs", "b/d.rs", "b/mod.rs", "e.rs"]);
    assert_eq!(imports["f.rs"], BTreeSet::from(["e.rs".to_owned()]));
}

/// Lower the number in ARCHITECTURE.md as circles go.
#[test]
fn files_import_each_other_in_no_new_circle() {
    let text = architecture();
    let most: usize = text.lines().find_map(|line| line.strip_prefix("circles: ")).expect("a number").parse().unwrap();
    let sources = sources();
    let mut imports = imports(&sources);
    for (file, calls) in calls_of_job(&sources) {
        imports.entry(file).or_default().extend(calls.into_iter().map(|(other, _)| other));
    }
    let found = in_circles(&imports);
    assert_eq!(found.len(), most, "files in circles: {found:#?}");
}

#[test]
fn unsafe_code_is_where_the_list_says() {
    let text = architecture();
    let list: Vec<&str> =
        text.lines().find_map(|line| line.strip_prefix("unsafe: ")).expect("the list is there").split(' ').collect();
    for (path, code) in sources() {
        if code.contains("allow(unsafe_code)") {
            assert!(list.iter().any(|entry| path.starts_with(entry)), "{path} is not in the list of ARCHITECTURE.md");
        }
    }
}

/// Key destructors and `atexit` functions of the client run after the destructors of thread-locals, and communicate.
#[test]
fn no_thread_local_needs_a_destructor() {
    for (path, code) in sources() {
        for block in code.split("thread_local! {").skip(1) {
            let block = block.split("\n}").next().unwrap_or(block);
            for line in block.lines().filter(|line| line.contains("static ")) {
                let owns =
                    ["Vec<", "Box<", "Arc<", "RefCell<", "String", "Mutex<Vec"].iter().any(|word| line.contains(word));
                let owns = owns && !line.contains("Lent<");
                assert!(line.contains("= const") && !owns, "{path}: {line}: see os/thread_end.rs");
            }
        }
    }
}

#[test]
fn nothing_that_init_fixes_is_fixed_by_the_compiler() {
    for (path, code) in sources() {
        for word in ["cfg(feature", "cfg!(feature", "option_env!(\"GASNET"] {
            assert!(!code.contains(word), "{path}: {word}");
        }
    }
}

/// The parts that a port to another system replaces: the calls of the kernel and the C library, and the files that Linux shows.
#[test]
fn the_system_is_used_in_os_and_where_the_list_says() {
    let text = architecture();
    let list: Vec<&str> =
        text.lines().find_map(|line| line.strip_prefix("system: ")).expect("the list is there").split(' ').collect();
    let is_call = |after: &str| {
        let end = after.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
        end.is_some_and(|end| end > 0 && after[end..].starts_with('('))
    };
    let uses_system = |code: &str| {
        code.split("libc::").skip(1).any(is_call)
            || code.match_indices("nix::").any(|(at, _)| {
                let (before, after) = (&code[..at], &code[at + 5..]);
                !before.ends_with('u') && !after.starts_with("errno") && !after.starts_with("libc")
            })
            || ["\"/proc/", "\"/sys/", "std::os::linux"].iter().any(|word| code.contains(word))
    };
    assert!(
        uses_system("unsafe { libc::read(0) }") && uses_system("use nix::poll::poll;") && !uses_system("libc::EPERM")
    );
    let found: Vec<String> = sources()
        .into_iter()
        .filter(|(path, code)| !path.starts_with("os/") && uses_system(code))
        .map(|(path, _)| path)
        .collect();
    for path in &found {
        assert!(
            list.iter().any(|entry| path.starts_with(entry)),
            "{path} is not in the list `system:` of ARCHITECTURE.md"
        );
    }
    for entry in list {
        assert!(found.iter().any(|path| path.starts_with(entry)), "{entry} of the list `system:` uses nothing of it");
    }
}

#[test]
fn atomics_come_from_the_file_that_loom_can_replace() {
    // Statics that are built before any thread and that no model reaches.
    let apart = ["sync/atomic.rs", "fatal.rs", "fatal/lines.rs", "os/backtrace.rs", "os/backtrace/stack.rs"];
    for (path, code) in sources() {
        if !apart.contains(&path.as_str()) {
            assert!(!code.contains("core::sync::atomic") && !code.contains("std::sync::atomic"), "{path}");
        }
    }
}

#[test]
fn only_the_table_of_conduits_names_them() {
    for (name, code) in sources() {
        let may = name.starts_with("conduit/") || name == "env/table.rs";
        for conduit in ["\"smp\"", "\"udp\"", "\"loopback\""] {
            assert!(may || !code.contains(conduit), "{name} names {conduit}: ask conduit/table.rs");
        }
    }
}

/// The types that `code` declares.
fn types(code: &str) -> impl Iterator<Item = &str> {
    code.lines().filter_map(|line| {
        let words: Vec<&str> =
            line.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
        let at = words.iter().position(|word| ["struct", "enum", "union", "trait", "type"].contains(word))?;
        let declares = words[..at].iter().all(|word| ["pub", "crate", "super", "unsafe"].contains(word));
        // Indented aliases are types of traits.
        let is_alias = words[at] == "type" && line.starts_with(' ');
        (declares && !is_alias).then(|| words.get(at + 1).copied())?
    })
}

#[test]
fn no_two_types_have_one_name() {
    let sources = sources();
    let mut files = BTreeMap::<&str, Vec<&str>>::new();
    for (file, code) in &sources {
        types(code).for_each(|name| files.entry(name).or_default().push(file));
    }
    // One file may declare a type for each architecture.
    files.values_mut().for_each(Vec::dedup);
    assert!(files.contains_key("Job") && files.contains_key("gex_TM_t"), "declarations are found");
    files.retain(|_, files| files.len() > 1);
    assert!(files.is_empty(), "{files:#?}");
}
