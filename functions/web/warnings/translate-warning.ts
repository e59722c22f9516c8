import { translateWarning, type Warning } from './catalog.ts'
import catalog from './words/en.ts'

/** Translates a warning with the catalog of the page's language. Both modules are loaded on demand. */
export default (warning: Warning) => translateWarning(warning, catalog)
