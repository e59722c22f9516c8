import type { WarningCatalog } from '../catalog.ts'

/** The English page shows the service's own messages, which say more, so its catalog is empty. */
const warnings: WarningCatalog = { texts: {}, sentences: {} }

export default warnings
