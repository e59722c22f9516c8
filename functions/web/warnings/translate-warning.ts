import { translateWarning, type Warning } from './catalog.ts'
import catalog from './words/en.ts'

/** This module and the catalog are loaded on demand. */
export default (warning: Warning) => translateWarning(warning, catalog)
