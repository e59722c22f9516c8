// Preloaded by a service: writes the URL of each module that it loads to a file.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import process from 'node:process'

registerHooks({
  load(url, context, nextLoad) {
    appendFileSync(process.env.IMPORTS_FILE, `${url}\n`)
    return nextLoad(url, context)
  },
})
