"""One office process: started with a separate profile and controlled over a UNO pipe."""

import configparser
import ctypes
import os
import signal
import subprocess
import time

import uno
from com.sun.star.beans import PropertyValue
from com.sun.star.connection import NoConnectException

OFFICE = '/usr/lib/libreoffice/program/soffice.bin'
# The office exits with this code after it has created a new profile, to be started again.
RESTART = 81
START_LIMIT_S = 60
PR_SET_PDEATHSIG = 1


def properties(values):
    """Converts a dict to UNO properties; a nested dict becomes a nested list (FilterData)."""
    return tuple(PropertyValue(Name=name, Value=_value(value)) for name, value in values.items())


def _value(value):
    if isinstance(value, dict):
        return uno.Any('[]com.sun.star.beans.PropertyValue', properties(value))
    return value


def _exit_with_bridge():
    # Without a process namespace (Lambda), nothing else ends the office if the bridge is killed.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Office:
    def __init__(self, folder, pipe_name):
        self.folder = folder
        self.pipe_name = pipe_name
        self.process = None
        self.context = None
        self.desktop = None
        self._services = None

    def start(self):
        deadline = time.monotonic() + START_LIMIT_S
        self._mark_extensions_as_current()
        self._spawn()
        resolver = self._resolver()
        url = f'uno:pipe,name={self.pipe_name};urp;StarOffice.ComponentContext'
        while self.context is None:
            try:
                self.context = resolver.resolve(url)
            except NoConnectException:
                self._respawn_on_request(deadline)
                time.sleep(0.02)
        self._unlink_sockets()
        # Reading these properties takes several calls to the office each time.
        self._services = self.context.ServiceManager
        self.desktop = self.create('com.sun.star.frame.Desktop')

    def create(self, service):
        return self._services.createInstanceWithContext(service, self.context)

    def has_ended(self):
        """Notices the exit immediately; `Popen.poll` does not while another thread waits for the process."""
        try:
            return os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return True

    def condition(self):
        """Returns what the pool needs to decide whether this office can convert another document."""
        return {'residentKb': self._resident_kb(), 'staleFonts': self._has_foreign_fonts()}

    def _resident_kb(self):
        with open(f'/proc/{self.process.pid}/statm', encoding='ascii') as statm:
            return int(statm.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') // 1024

    def _has_foreign_fonts(self):
        """Embedded fonts of a document stay loaded, and the office would use them for the next documents as well."""
        folder = f'{self.folder}/profile/user/temp/embeddedfonts/fromdocs'
        return os.path.isdir(folder) and len(os.listdir(folder)) > 0

    def cpu_ticks(self):
        """Returns the user and system time of the office: fields 14 and 15 of proc(5)."""
        with open(f'/proc/{self.process.pid}/stat', encoding='ascii', errors='replace') as stat:
            fields = stat.read().rpartition(')')[2].split()
        return int(fields[11]) + int(fields[12])

    def load_libraries(self):
        """Opens an empty text once, so that the first document does not wait for the libraries of Writer."""
        self.new_text().close(True)

    def new_text(self):
        return self.desktop.loadComponentFromURL(
            'private:factory/swriter', '_blank', 0, properties({'Hidden': True}))

    def kill(self):
        if self.process is not None:
            self.process.kill()

    def _resolver(self):
        local = uno.getComponentContext()
        return local.ServiceManager.createInstanceWithContext(
            'com.sun.star.bridge.UnoUrlResolver', local)

    def _mark_extensions_as_current(self):
        """Without the build's id in the profile, the office would reinstall all extensions, of which there are none, and
        ask to be started again."""
        versions = configparser.RawConfigParser()
        versions.read(f'{os.path.dirname(OFFICE)}/versionrc', encoding='utf-8')
        folder = f'{self.folder}/profile/user/extensions'
        os.makedirs(folder, exist_ok=True)
        with open(f'{folder}/buildid', 'w', encoding='utf-8') as file:
            file.write(versions.get('Version', 'buildid', fallback=''))

    def _spawn(self):
        self.process = subprocess.Popen(
            [
                OFFICE,
                '--headless', '--invisible', '--norestore', '--nologo', '--nodefault',
                '--nofirststartwizard', '--nolockcheck',
                f'--accept=pipe,name={self.pipe_name};urp;StarOffice.ComponentContext',
                f'-env:UserInstallation=file://{self.folder}/profile',
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            env={**os.environ, 'SAL_USE_VCLPLUGIN': 'svp'},
            preexec_fn=_exit_with_bridge)

    def _unlink_sockets(self):
        """Once connected, the sockets need no path: without one, no other process can reach them in a shared /tmp, and
        no file remains."""
        descriptors = f'/proc/{self.process.pid}/fd'
        own = {os.readlink(f'{descriptors}/{name}') for name in os.listdir(descriptors)}
        with open('/proc/net/unix', encoding='utf-8', errors='replace') as sockets:
            rows = [line.split(maxsplit=7) for line in sockets]
        # Seven columns, followed by the path if the socket has one.
        paths = {row[7].strip() for row in rows if len(row) == 8 and f'socket:[{row[6]}]' in own}
        for path in paths:
            if os.path.basename(path).startswith('OSL_PIPE_'):
                os.unlink(path)

    def _respawn_on_request(self, deadline):
        code = self.process.poll()
        if code == RESTART:
            self._spawn()
        elif code is not None:
            raise RuntimeError(f'the office ended with code {code} before it accepted connections')
        elif time.monotonic() > deadline:
            raise RuntimeError(f'the office did not accept connections within {START_LIMIT_S} s')
