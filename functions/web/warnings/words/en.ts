import type { WarningCatalog } from '../catalog.ts'

/** In English, the service's own sentences are shown, which say more. */
const warnings: WarningCatalog = { texts: {}, sentences: {} }

export default warnings
