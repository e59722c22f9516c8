/**
 * What a first visit needs of the list of files, in one chunk: every section that shares some of it imports all of it, as
 * the bundler makes a chunk for each set of those that share (see `shell/base.ts`), and brings it into the later parts
 * of this one.
 */
import '../../live.ts'
import '../../options/load.ts'
import '../../options/values.ts'
import './add-files.ts'
import './files.tsx'
import './links.ts'
import './loading.ts'
