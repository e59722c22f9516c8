/** Debian's, which the setup installs. Another one that is found first may start ten times slower. */
export const python3 = '/usr/bin/python3'
