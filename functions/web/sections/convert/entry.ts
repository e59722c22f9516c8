/**
 * The code of the file list that a first visit needs, as one chunk. Every section that shares some of it imports all of
 * it, because the bundler would create a chunk for each set of importers (see `shell/shared-chunk.ts`). The bundler
 * also adds this import to the lazy parts of Convert.
 */
import '../../job-events.ts'
import '../../options/load-options.ts'
import '../../options/option-values.ts'
import '../../shell/popular.tsx'
import '../../ui/category-icons.ts'
import './add-files.ts'
import './drop-zone.tsx'
import './file-list.tsx'
import './preset-links.ts'
import './restore-list.ts'
