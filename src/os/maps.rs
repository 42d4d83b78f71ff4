//! The files that are mapped in this process.

use std::fs;

/// Each once, by its path; a removed one has ` (deleted)` after it.
pub(crate) fn mapped_files() -> Vec<String> {
    of_lines(&fs::read_to_string("/proc/self/maps").unwrap_or_default())
}

fn of_lines(maps: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..])) {
        if !files.iter().any(|known| known == file) {
            files.push(file.to_string());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_found_once() {
        let maps = "7f0 r--p 00000000 fe:01 12 /usr/lib/libucp.so.0.0.0\n7f1 r-xp 00000000 fe:01 12 /usr/lib/libucp.so.0.0.0\n\
                    7f2 r-xp 0 fe:01 13 /a b/libucp.so\n7f3 rw-p 0 00:00 0\n7f4 rw-s 0 00:1b 5    /dev/shm/12:0:0 (deleted)\n7f5 r-xp 0 00:00 0 [vdso]\n";
        assert_eq!(of_lines(maps), ["/usr/lib/libucp.so.0.0.0", "/a b/libucp.so", "/dev/shm/12:0:0 (deleted)"]);
    }

    #[test]
    fn the_program_is_among_those_of_this_process() {
        let program = std::env::current_exe().unwrap();
        assert!(mapped_files().iter().any(|file| program.to_str() == Some(file)));
    }
}
