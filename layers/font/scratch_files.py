"""Makes FontForge write its scratch files to the work folder.

It opens them with tmpfile(), which always uses /tmp. Without a mount namespace the sandbox denies that; FontForge does
not check the result and crashes with SIGSEGV. This module redirects the library's tmpfile() entry to its own function.
"""

import ctypes
import itertools
import mmap
import os
import struct
import tempfile

LIBRARY = '/libfontforge.so'
# Constants of elf.h.
PT_DYNAMIC = 2
DT_PLTRELSZ, DT_STRTAB, DT_SYMTAB, DT_JMPREL = 2, 5, 6, 23
READ, WRITE = 1, 2

WORK = os.getcwd()

libc = ctypes.CDLL(None, use_errno=True)
libc.fdopen.argtypes, libc.fdopen.restype = (ctypes.c_int, ctypes.c_char_p), ctypes.c_void_p
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


@ctypes.CFUNCTYPE(ctypes.c_void_p)
def scratch_file():
    handle, path = tempfile.mkstemp(dir=WORK)
    os.unlink(path)
    return libc.fdopen(handle, b'w+b')


def keep_in_work_folder():
    """Call this after loading FontForge and before it opens a file; does nothing if /tmp is writable."""
    try:
        tempfile.TemporaryFile(dir='/tmp').close()
    except OSError:
        redirect_tmpfile()


def redirect_tmpfile():
    address = entry_address(b'tmpfile', base_address(LIBRARY))
    page = address & -mmap.PAGESIZE
    if libc.mprotect(page, mmap.PAGESIZE, READ | WRITE) != 0:
        raise OSError(ctypes.get_errno(), 'mprotect')
    ctypes.c_void_p.from_address(address).value = ctypes.cast(scratch_file, ctypes.c_void_p).value
    # The linker has resolved the entry and made its page read-only.
    libc.mprotect(page, mmap.PAGESIZE, READ)


def base_address(library):
    with open('/proc/self/maps', encoding='utf-8') as mapped:
        return next(int(line.split('-')[0], 16) for line in mapped if library in line)


def entry_address(name, base):
    """Returns where the address of an imported function is stored, according to 64-bit ELF (elf.h)."""
    header = ctypes.string_at(base, 64)
    at, size, count = struct.unpack_from('<Q', header, 32)[0], *struct.unpack_from('<HH', header, 54)
    programs = (struct.unpack('<IIQQQQQQ', ctypes.string_at(base + at + index * size, 56)) for index in range(count))
    dynamic = next(base + program[3] for program in programs if program[0] == PT_DYNAMIC)
    entries = (struct.unpack('<QQ', ctypes.string_at(dynamic + index * 16, 16)) for index in itertools.count())
    facts = dict(itertools.takewhile(lambda entry: entry[0] != 0, entries))
    # Some linkers replace offsets from the file by addresses.
    strings, symbols, calls = (
        fact if fact > base else base + fact for fact in (facts[DT_STRTAB], facts[DT_SYMTAB], facts[DT_JMPREL])
    )
    for offset, info, _addend in struct.iter_unpack('<QQq', ctypes.string_at(calls, facts[DT_PLTRELSZ])):
        name_offset = struct.unpack('<I', ctypes.string_at(symbols + (info >> 32) * 24, 4))[0]
        if ctypes.string_at(strings + name_offset) == name:
            return base + offset
    raise LookupError(f'FontForge does not call {name.decode()}')
