import type { openBrowser as Visitors } from '../test-browser.ts'

export type Visitor = ReturnType<typeof Visitors>
