/**
 * What a first visit needs of the list of files, in one chunk: every section that shares some of it imports all of it, as
 * the bundler makes a chunk for each set of those that share (see `shell/shared-chunk.ts`), and brings it into the later parts
 * of this one.
 */
import '../../job-events.ts'
import '../../options/load-options.ts'
import '../../options/option-values.ts'
import './add-files.ts'
import './file-list.tsx'
import './preset-links.ts'
import './restore-list.ts'
