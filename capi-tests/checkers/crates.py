"""crates.py LOCK INDEX [ADVISORIES]: checks each crate of the file LOCK (a Cargo.lock) against INDEX, the folder in which cargo keeps what the
registry says of crates: its version must exist there with the same checksum, and not be yanked. ADVISORIES is a checkout, or a repository without
work tree, of the RustSec advisory database: no advisory may apply to a version. Prints one line for each fault, and fails if there are any."""
import glob
import json
import os
import re
import subprocess
import sys
import tomllib


def records(index, name):
    """The versions of a crate in cargo's cache of the registry's index."""
    lower = name.lower()
    prefix = {1: "1", 2: "2", 3: "3/" + lower[:1]}.get(len(lower), lower[:2] + "/" + lower[2:4])
    found = {}
    for path in glob.glob(f"{index}/*/.cache/{prefix}/{lower}"):
        with open(path, "rb") as file:
            for part in file.read().split(b"\0"):
                if part.startswith(b'{"'):
                    record = json.loads(part)
                    found[record["vers"]] = record
    return found


def number(version):
    numbers = version.split("+")[0].split("-")[0].split(".")
    return tuple(int(part) for part in numbers) + (0,) * (3 - len(numbers)), "-" not in version


def satisfies(version, requirement):
    """Whether a version fulfils `>= 1.2, < 2`, `^1.2` or `= 1.0.0`."""
    for comparator in requirement.split(","):
        match = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*([0-9][^\s]*)\s*", comparator)
        if not match:
            raise ValueError(f"requirement {requirement!r} is not understood")
        sign, text = match.groups()
        mine, theirs = number(version), number(text)
        if sign in (None, "^", "~"):
            low = theirs[0]
            fixed = 1 if sign != "~" and low[0] else 2 if sign == "~" or low[1] else 3
            holds = mine >= theirs and mine[0][:fixed] == low[:fixed]
        else:
            holds = {">=": mine >= theirs, "<=": mine <= theirs, ">": mine > theirs, "<": mine < theirs, "=": mine == theirs}[sign]
        if not holds:
            return False
    return True


def advisories(database):
    """The advisories' texts, from a checkout or from the objects of a repository."""
    paths = glob.glob(f"{database}/crates/*/RUSTSEC-*.md")
    if paths:
        for path in paths:
            with open(path, encoding="utf-8") as file:
                yield file.read()
        return
    git = ["git", "--git-dir", database]
    names = subprocess.run(git + ["ls-tree", "-r", "--name-only", "HEAD", "crates/"], check=True, capture_output=True, text=True).stdout.split()
    wanted = "".join(f"HEAD:{name}\n" for name in names if name.endswith(".md"))
    out = subprocess.run(git + ["cat-file", "--batch"], check=True, capture_output=True, input=wanted.encode()).stdout
    while out:
        head, out = out.split(b"\n", 1)
        size = int(head.split()[2])
        yield out[:size].decode()
        out = out[size + 1:]


def main():
    lock, index = sys.argv[1:3]
    with open(lock, "rb") as file:
        packages = [one for one in tomllib.load(file)["package"] if "source" in one]
    faults = []
    for one in packages:
        name, version = one["name"], one["version"]
        record = records(index, name).get(version)
        if record is None:
            faults.append(f"{name} {version} is not in the registry's index")
        elif record["yanked"]:
            faults.append(f"{name} {version} is yanked")
        elif record["cksum"] != one.get("checksum"):
            faults.append(f"{name} {version} has another checksum than in the registry's index")
    applied = 0
    if len(sys.argv) > 3:
        for text in advisories(sys.argv[3]):
            block = re.search(r"```toml\n(.*?)\n```", text, re.S)
            if not block:
                continue
            applied += 1
            data = tomllib.loads(block.group(1))
            advisory, versions = data["advisory"], data.get("versions", {})
            if advisory.get("withdrawn"):
                continue
            for one in packages:
                safe = versions.get("patched", []) + versions.get("unaffected", [])
                if one["name"] == advisory["package"] and not any(satisfies(one["version"], wanted) for wanted in safe):
                    kind = advisory.get("informational", "vulnerability")
                    faults.append(f"{one['name']} {one['version']}: {advisory['id']} ({kind})")
        if applied < 100:
            faults.append(f"{sys.argv[3]} has {applied} advisories only")
    print("\n".join(faults) or f"{len(packages)} crates, {applied} advisories: no fault")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    if not os.path.isdir(sys.argv[2]):
        sys.exit(f"{sys.argv[2]} is no folder")
    main()
