import type { Section } from './section.ts'
import { access } from './sections/access.ts'
import { chunks } from './sections/chunks.ts'
import { controlPlane } from './sections/control-plane.ts'
import { docx } from './sections/docx.ts'
import { fidelity } from './sections/fidelity.ts'
import { graphs } from './sections/graphs.ts'
import { growth } from './sections/growth.ts'
import { idleSection } from './sections/idle.ts'
import { imports } from './sections/imports.ts'
import { notifications } from './sections/notifications.ts'
import { page } from './sections/page.ts'
import { png } from './sections/png.ts'
import { programs } from './sections/programs.ts'
import { scale } from './sections/scale.ts'
import { servers } from './sections/servers.ts'
import { transfers } from './sections/transfers.ts'
import { upload } from './sections/upload.ts'

/** All sections in the order in which they run. Add a new section here. */
export const sections: readonly Section[] = [
  png,
  docx,
  ...programs,
  chunks,
  fidelity,
  controlPlane,
  idleSection,
  growth,
  upload,
  graphs,
  servers,
  transfers,
  notifications,
  access,
  imports,
  page,
  scale,
]
