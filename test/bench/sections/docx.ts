import { join } from 'node:path'
import { type BareOffice, startBareOffice } from '../bare/office.ts'
import { type EngineComparison, measureOneClient, withComparedServices } from '../compare-with-engine.ts'
import { measureEightClients } from '../concurrent-clients.ts'
import { measureRate } from '../measure.ts'
import type { Section } from '../section.ts'

const comparison: EngineComparison = {
  fixture: 'pages.docx',
  fields: { targetFormat: 'pdf' },
  rounds: 12,
  runsPerRound: 3,
  most: 1.2,
  engine: 'a warm office',
}

export const docx: Section = {
  name: 'docx',
  about: 'DOCX of 10 pages to PDF: one client, eight clients',
  async run(bench) {
    const folder = await bench.fixtures.folder('bare-docx')
    const offices = await Promise.all(['1', '2'].map((name) => startBareOffice(join(folder, name))))
    bench.report.title('DOCX of 10 pages → PDF')
    try {
      await withComparedServices(comparison, bench, useFreeOffice(offices), async (services) => {
        await measureOneClient(comparison, services, bench)
        const { bare, ...rest } = services
        const shape = { rounds: 4, jobs: 32, engine: 'two warm offices', share: 0.85 }
        await measureEightClients({ ...rest, ...shape, bare: measureRate(2, 32, bare) }, bench.report)
      })
    } finally {
      await Promise.all(offices.map((office) => office.close()))
    }
  },
}

/**
 * Returns a function that converts a document with a free office. Each office converts one document at a time, and
 * there is one office per concurrent caller.
 */
function useFreeOffice(offices: readonly BareOffice[]) {
  const freeOffices = [...offices]
  return async (document: string) => {
    const office = freeOffices.pop()
    if (!office) throw new Error('each office has a document')
    await office.toPdf(document).finally(() => freeOffices.push(office))
  }
}
