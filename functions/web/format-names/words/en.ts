/**
 * Display names of formats, by the service's own English, with `{}` for a proper name. Names without an entry, such as
 * WavPack, are the same in each language.
 */
const names: Readonly<Record<string, string>> = {}

export default names
