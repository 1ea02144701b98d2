# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/setup against a pretended dpkg and apt: what it installs, and what it refuses."""

import pathlib
import re
import subprocess
import tempfile
import unittest

SETUP = pathlib.Path(__file__).resolve().parents[2] / "tools" / "setup"
PACKAGES = re.search(r"^packages=\((.*?)^\)", SETUP.read_text(), re.MULTILINE | re.DOTALL).group(1)
PACKAGES = [word for line in PACKAGES.splitlines() if not line.strip().startswith("#")
            for word in line.split()]

DPKG_QUERY = """#!/bin/sh
cat "$STATE/installed"
"""
# Installing is recorded, and the packages asked for count as installed from then on.
APT_GET = """#!/bin/sh
echo "$*" >>"$STATE/log"
case " $* " in
*" -s "*) cat "$STATE/plan"; exit "$(cat "$STATE/plan_status")" ;;
*" update "*) exit "$(cat "$STATE/update_status")" ;;
*" install "*) for package; do echo "installed $package"; done >>"$STATE/installed" ;;
esac
"""


class SetupTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = pathlib.Path(folder.name)
        self.write("plan", "Inst clang-22\n")
        self.write("plan_status", "0")
        self.write("update_status", "0")
        self.write("log", "")
        self.command("dpkg-query", DPKG_QUERY)
        self.command("apt-get", APT_GET)
        self.command("apt-cache", "#!/bin/sh\n")
        self.command("id", "#!/bin/sh\necho 0\n")

    def write(self, name, text):
        (self.state / name).write_text(text)

    def command(self, name, text):
        path = self.state / name
        path.write_text(text)
        path.chmod(0o755)

    def installed(self, packages):
        self.write("installed", "".join(f"installed {package}\n" for package in packages))

    def run_setup(self):
        run = subprocess.run([str(SETUP)], capture_output=True, text=True, check=False, cwd="/",
                             env={"PATH": f"{self.state}:/usr/bin:/bin", "STATE": str(self.state)})
        return run, (self.state / "log").read_text()

    def refused(self, *words):
        run, log = self.run_setup()
        self.assertNotEqual(run.returncode, 0)
        self.assertNotRegex(log, r"(?m)-y .*install")
        for word in words:
            self.assertIn(word, run.stderr)

    def test_nothing_missing(self):
        self.installed(PACKAGES)
        run, log = self.run_setup()
        self.assertEqual((run.returncode, log), (0, ""), run.stderr)

    def test_installs_what_is_missing_only(self):
        self.installed(PACKAGES[2:])
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        line = [line for line in log.splitlines() if " -y " in f" {line} "][-1]
        self.assertEqual(set(line.split()) & set(PACKAGES), set(PACKAGES[:2]))

    def test_old_libomp_may_go(self):
        self.installed(PACKAGES[1:])
        self.write("plan", "Remv libomp-14-dev [1]\nRemv libomp-dev [1]\nRemv libomp5-14 [1]\nInst git\n")
        run, log = self.run_setup()
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("libomp5-14", run.stdout)
        self.assertIn("-y", log)

    def test_anything_else_may_not_go(self):
        self.installed(PACKAGES[1:])
        self.write("plan", "Remv libomp-14-dev [1]\nRemv mpich [4]\nInst git\n")
        self.refused("mpich", "nothing was installed")

    def test_apt_cannot(self):
        self.installed(PACKAGES[1:])
        self.write("plan", "E: Unmet dependencies\n")
        self.write("plan_status", "100")
        self.refused("apt cannot install", PACKAGES[0])

    def test_not_root(self):
        self.installed(PACKAGES[1:])
        self.command("id", "#!/bin/sh\necho 1000\n")
        self.refused("only root", "sudo apt-get install", PACKAGES[0])

    def test_no_network(self):
        self.installed(PACKAGES[1:])
        self.command("apt-cache", "#!/bin/sh\nexit 100\n")
        self.write("update_status", "100")
        self.refused("network", PACKAGES[0])

    def test_wrong_distribution(self):
        self.installed(PACKAGES[1:])
        self.command("apt-cache", "#!/bin/sh\nexit 100\n")
        self.refused("does not offer", PACKAGES[0])


if __name__ == "__main__":
    unittest.main()
