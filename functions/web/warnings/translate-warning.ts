import { translateWarning, type Warning } from './catalog.ts'
import catalog from './words/en.ts'

/** Loaded on demand, with the texts. */
export default (warning: Warning) => translateWarning(warning, catalog)
