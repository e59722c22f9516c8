/** Debian's Python, which the setup installs. Another one earlier on the PATH may start ten times slower. */
export const python3 = '/usr/bin/python3'
