/**
 * Display names of formats, keyed by the service's English names, with `{}` for a proper name. Names without an entry,
 * such as WavPack, are the same in every language.
 */
const names: Readonly<Record<string, string>> = {}

export default names
