/**
 * The modules that most sections use, as one chunk that every page loads. Without it, the bundler would create a chunk,
 * and so a request, for each set of sections that share some modules. The bundler adds this import to every entry.
 */
import 'preact'
import 'preact/hooks'
import 'preact/jsx-runtime'
import '@preact/signals'
import '../api.ts'
import '../../../lib/async/semaphore.ts'
import '../options/words/en.ts'
import '../ui/engine-names.ts'
import '../words/en.ts'
import '../words/plural.ts'
import './announce.ts'
import './pending-files.ts'
import './lazy.tsx'
import './locale.ts'
import './problem-text.tsx'
import './router.ts'
import './shortcuts.ts'
import './placeholders.tsx'
import './styles.ts'
import './title.ts'
