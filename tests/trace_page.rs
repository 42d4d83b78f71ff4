//! The page that `gasnet_trace -html` writes, in a browser without a display: it loads, zooms, has the numbers of the text
//! summary, and stays small.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn place(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn gasnet_trace(words: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_gasnet_trace")).args(words).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The document after its scripts have run; None without a browser.
fn in_a_browser(page: &Path) -> Option<String> {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|out| out.status.success());
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(is_there) else {
        println!("skipped: there is no chromium");
        return None;
    };
    let profile = page.with_extension("profile");
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "120", browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]);
    command.args(["--disable-dev-shm-usage", "--virtual-time-budget=10000", "--window-size=1250,1000", "--dump-dom"]);
    command.arg(format!("--user-data-dir={}", profile.display())).arg(format!("file://{}", page.display()));
    let out = command.env("HOME", &profile).stderr(Stdio::null()).output().unwrap();
    let _ = std::fs::remove_dir_all(&profile);
    assert!(out.status.success(), "{browser}: {}", out.status);
    Some(String::from_utf8_lossy(&out.stdout).into_owned())
}

/// The texts of the cells of each row of the table `id`.
fn rows(document: &str, id: &str) -> Vec<Vec<String>> {
    let table =
        document.split(&format!("<table id=\"{id}\"")).nth(1).unwrap_or_else(|| panic!("there is no table {id}"));
    let table = table.split("</table>").next().unwrap();
    let cell = |text: &str| text.split_once('>').unwrap().1.split('<').next().unwrap().to_string();
    table.split("<tr").skip(2).map(|row| row.split("<td").skip(1).map(cell).collect()).collect()
}

/// A number in an attribute of the element `id`.
fn number(document: &str, id: &str, attribute: &str) -> f64 {
    let element = document.split(&format!("id=\"{id}\"")).nth(1).and_then(|rest| rest.split('>').next()).unwrap();
    let value = element.split(&format!("{attribute}=\"")).nth(1).and_then(|rest| rest.split('"').next());
    value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {attribute} in {element}"))
}

/// Lines of a trace of `steps` steps of 5 events for a rank: puts, a message, a wait and a handler in it.
fn lines(rank: u32, ranks: u32, steps: u64) -> String {
    let mut text = String::new();
    let mut at = 1_000_000;
    for step in 0..steps {
        let mut event = |at: u64, rest: &str, ns: u64| {
            let _ = writeln!(
                text,
                "{rank}(0) {}.{:09}> {rest} us={}.{:03}",
                at / 1_000_000_000,
                at % 1_000_000_000,
                ns / 1000,
                ns % 1000
            );
        };
        let (to, from) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let ns = 300 + step * 7919 % 3000;
        event(at, &format!("[dir/halo <x>.c:47] (P) gasnet_put_nbi_bulk: to={to} bytes={}", 8 << (step % 9)), ns);
        event(at + 4000, &format!("[halo.c:48] (G) gasnet_get: from={from} bytes=24"), 500);
        event(
            at + 5000,
            &format!("[halo.c:58] (A) gasnet_AMRequestMedium: to={to} handler=128 args=2 id={step} bytes=128"),
            400,
        );
        event(
            at + 7000,
            &format!("[halo.c:69] (A) AM_REQUEST_HANDLER: from={from} handler=128 args=2 id={step} bytes=128"),
            700,
        );
        event(at + 6000, "[halo.c:69] (B) gasnet_barrier_wait: id=0", 5000 + step % 13 * 100);
        at += 20_000;
    }
    text
}

#[test]
fn the_page_has_the_numbers_of_the_summary_and_zooms() {
    let files: Vec<String> = (0..4).map(|rank| place(&format!("page-trace-{rank}")).display().to_string()).collect();
    for (rank, file) in (0..4).zip(&files) {
        std::fs::write(file, lines(rank, 4, 200)).unwrap();
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let page = place("page.html");
    gasnet_trace(&[&["-html", page.to_str().unwrap()], &files[..]].concat());
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(!text.contains("http:") && !text.contains("https:"), "the page names something on a network");

    // A turn of the wheel over the picture, then a key, and the interval that the page shows after each.
    let steps = "<script>
        const seen = () => ({ ...document.getElementById('view').dataset });
        const before = seen(), box = picture.getBoundingClientRect();
        for (let i = 0; i < 30; i++) {
          picture.dispatchEvent(new WheelEvent('wheel', { deltaY: -100, clientX: box.x + 600, clientY: box.y + 40, cancelable: true }));
        }
        const near = seen();
        picture.dispatchEvent(new KeyboardEvent('keydown', { key: '0' }));
        const after = seen();
        document.getElementById('wait-longest').rows[1].click();
        const wait = seen(), note = document.createElement('i');
        note.id = 'zoomed';
        for (const [name, view] of Object.entries({ before, near, after, wait })) {
          for (const [key, value] of Object.entries(view)) note.setAttribute(`${name}-${key}`, value);
        }
        document.body.append(note);
        </script></body>";
    let tried = place("page-tried.html");
    std::fs::write(&tried, text.replace("</body>", steps)).unwrap();
    let Some(document) = in_a_browser(&tried) else { return };

    let summary = gasnet_trace(&files);
    let mut compared = 0;
    for report in summary.split("\n\n").filter(|report| !report.trim().is_empty()) {
        let title = report.trim().split(' ').next().unwrap();
        let body: Vec<&str> = report.trim().lines().skip(2).collect();
        let shown = rows(&document, &format!("report-{title}"));
        assert_eq!(shown.len() + 1, body.len(), "{title}");
        for (row, line) in shown.iter().zip(&body) {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            let cells = row.join(" ").replace("&lt;", "<").replace("&gt;", ">");
            assert_eq!(cells.split_whitespace().collect::<Vec<_>>(), words, "{title}");
            compared += 1;
        }
    }
    assert_eq!(compared, 5);

    // 4 ranks of 200 steps.
    let totals = rows(&document, "traffic-totals");
    assert_eq!(totals[0], ["messages", "800", "102400"]);
    assert_eq!(totals[2], ["gets", "800", "19200"]);
    let calls = rows(&document, "calls");
    let wait = calls.iter().find(|row| row[0] == "gasnet_barrier_wait").unwrap();
    let own: f64 = wait[5].parse().unwrap();
    let total: f64 = wait[4].parse().unwrap();
    assert!((total - own - 800.0 * 0.7).abs() < 0.01, "handlers of 0.7 us ran in 800 waits: {wait:?}");

    let view = |step: &str, key: &str| number(&document, "zoomed", &format!("{step}-{key}"));
    let span = |step: &str| view(step, "to") - view(step, "from");
    assert!(span("before") > 3.9e6 && span("near") < span("before") / 500.0, "{} {}", span("before"), span("near"));
    assert!(view("near", "from") > view("before", "from") && view("near", "drawn") > 0.0);
    assert_eq!(span("after"), span("before"));
    // Three times the longest wait.
    assert_eq!(span("wait"), 3.0 * 6200.0);
    assert!(view("wait", "drawn") >= 1.0);
}

#[test]
fn a_page_of_a_million_events_is_of_bounded_size_and_loads() {
    let page = place("large.html");
    let mut program = Command::new(env!("CARGO_BIN_EXE_gasnet_trace"));
    program.args(["-html", page.to_str().unwrap(), "-"]).stdin(Stdio::piped());
    let mut program = program.spawn().unwrap();
    let mut input = program.stdin.take().unwrap();
    for rank in 0..8 {
        input.write_all(lines(rank, 8, 25_000).as_bytes()).unwrap();
    }
    drop(input);
    assert!(program.wait().unwrap().success());
    let size = std::fs::metadata(&page).unwrap().len();
    assert!(size < 6_000_000, "{size} bytes");
    let Some(document) = in_a_browser(&page) else { return };
    assert!(document.contains("1 000 000 events of 8 ranks"));
    assert_eq!(rows(&document, "traffic-totals")[1][..2], ["puts", "200000"]);
    assert!(number(&document, "view", "data-drawn") >= 0.0);
    let _ = std::fs::remove_file(&page);
}

#[test]
fn a_file_without_events_is_told() {
    let empty = place("no-events");
    std::fs::write(&empty, "hello\n").unwrap();
    let page = place("none.html");
    let words = ["-html", page.to_str().unwrap(), empty.to_str().unwrap()];
    let out = Command::new(env!("CARGO_BIN_EXE_gasnet_trace")).args(words).output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(1) && text.contains("no-events: no line is an event of a trace"), "{text}");
    assert!(!page.exists() && text.lines().count() == 1);
}
