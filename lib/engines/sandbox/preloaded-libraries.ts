import { access, constants } from 'node:fs/promises'

/**
 * FFmpeg links some 220 libraries, and for each of 43,000 symbols the linker asks them in their order: 4 million
 * questions, most of them on the way to a few libraries that stand far behind. With these in front it asks 2.4 million
 * and is done in four fifths of the time; what is found stays the same. Left out are those that would hide another's
 * symbols (BLAS, LAPACK, PulseAudio's, libsrt's copies of C++ templates). One that is missing is passed over.
 */
const preloadedLibraries: readonly string[] = [
  ...['libcrypto.so.3', 'libepoxy.so.0', 'libstdc++.so.6', 'libglib-2.0.so.0', 'libgio-2.0.so.0'],
  ...['libnettle.so.8', 'libmbedcrypto.so.7', 'libpango-1.0.so.0', 'libunistring.so.2', 'libdb-5.3.so'],
  'libdbus-1.so.3',
]
const preloadedPrograms: readonly string[] = ['ffmpeg', 'ffprobe']

const systemLinker = '/lib64/ld-linux-x86-64.so.2'

/** What starts a program of that name the fastest: itself, or the linker that is told how to link it. */
export async function startCommand(bin: string, linker = systemLinker): Promise<string[]> {
  if (!preloadedPrograms.includes(bin)) return [bin]
  // Another system's, or an operator's own in /usr/local, is left to find its libraries as it likes.
  const path = `/usr/bin/${bin}`
  const installed = await Promise.all([path, linker].map(isInstalled))
  return installed.every(Boolean) ? [linker, '--preload', preloadedLibraries.join(':'), path] : [bin]
}

const checkedPaths = new Map<string, Promise<boolean>>()

/** Asked once: each start would wait for it. */
function isInstalled(path: string): Promise<boolean> {
  const installed = checkedPaths.get(path) ?? isExecutable(path)
  checkedPaths.set(path, installed)
  return installed
}

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
