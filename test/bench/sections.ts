import type { Section } from './section.ts'
import { graphs } from './sections/graphs.ts'
import { png } from './sections/png.ts'
import { servers } from './sections/servers.ts'
import { upload } from './sections/upload.ts'

/** In the order in which they are measured. To add one: its file, its line here. */
export const sections: readonly Section[] = [png, upload, graphs, servers]
