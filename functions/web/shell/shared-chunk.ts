/**
 * What most sections use, in one chunk that every page loads: shared code would else fall into a chunk for each set of
 * sections that share it, and each of them is a request. The bundler brings it into every entry.
 */
import 'preact'
import 'preact/hooks'
import 'preact/jsx-runtime'
import '@preact/signals'
import '../api.ts'
import '../sections/convert/semaphore.ts'
import '../words/en.ts'
import './announce.ts'
import './pending-files.ts'
import './lazy.tsx'
import './router.ts'
import './placeholders.tsx'
import './styles.ts'
import './title.ts'
