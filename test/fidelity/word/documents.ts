import { createTable, join, type Part, times, type Writer, wrap } from './blocks.ts'

interface KnownDocument {
  readonly name: string
  /** CSS rules in addition to the common rules. */
  readonly css?: string
  /** Whether LibreOffice prints it, from a Word document that pandoc writes; otherwise Chromium prints it. */
  readonly isFromOffice?: boolean
  readonly write: (writer: Writer) => Part
}

const serif = 'body { font-family: "Liberation Serif"; font-size: 12pt }'

/** Kinds of documents that people convert. All are printed from the same HTML by one of two programs. */
export const documents: readonly KnownDocument[] = [
  {
    name: 'correspondence',
    css: serif,
    write: (w) =>
      join(
        w.lines([w.words(3), w.words(2), w.words(3)]),
        w.lines([w.words(4), w.words(3)], 'style="margin-top:30pt"'),
        w.paragraph(4, 'style="font-weight:bold"'),
        times(4, () => w.paragraph(50)),
        w.paragraph(3),
      ),
  },
  {
    name: 'report',
    isFromOffice: true,
    write: (w) =>
      join(
        w.heading(1),
        times(6, () =>
          join(
            w.heading(2),
            times(3, () => w.paragraph(70)),
          ),
        ),
      ),
  },
  {
    name: 'lists',
    isFromOffice: true,
    write: (w) =>
      join(
        w.heading(1),
        w.paragraph(30),
        w.list('ul', 6),
        w.paragraph(25),
        w.list('ol', 7, 18),
        w.heading(2),
        w.list('ul', 4, 25),
      ),
  },
  { name: 'ruled-table', write: (w) => join(w.heading(1), w.paragraph(40), w.table(4, 9), w.paragraph(40)) },
  {
    name: 'borderless-table',
    write: (w) =>
      join(w.heading(1), w.paragraph(40), w.table(3, 7, { attributes: 'class="plain"' }), w.paragraph(40)),
  },
  {
    name: 'invoice',
    write: (w) =>
      join(
        wrap(
          'class="row"',
          wrap('', w.lines([w.words(2), w.words(2), w.words(1)])),
          wrap('', w.lines(['Invoice 4711', 'Date 7 May', 'Due 21 May'])),
        ),
        w.heading(1, 2),
        createTable([
          ['Item', 'Quantity', 'Price', 'Total'],
          ...Array.from({ length: 6 }, (_, at) => [w.words(3), `${at + 2}`, '12.50', `${(at + 2) * 12.5}`]),
        ]),
        w.paragraph(25),
      ),
  },
  {
    name: 'curriculum-vitae',
    write: (w) =>
      join(
        w.heading(1, 2),
        w.paragraph(12),
        times(3, () =>
          join(
            w.heading(2, 1),
            times(2, () => join(w.paragraph(5, 'style="font-weight:bold"'), w.list('ul', 3, 12))),
          ),
        ),
      ),
  },
  {
    name: 'two-columns',
    css: `${serif} .columns > h2:first-child { margin-top: 0 } .columns { columns: 2; column-gap: 24pt; text-align: justify } body { font-size: 10pt }`,
    write: (w) =>
      join(
        w.heading(1),
        w.paragraph(45, 'style="margin:0 30pt 14pt"'),
        wrap(
          'class="columns"',
          times(4, () =>
            join(
              w.heading(2, 2),
              times(2, () => w.paragraph(70)),
            ),
          ),
        ),
      ),
  },
  {
    name: 'form',
    write: (w) =>
      join(
        w.heading(1, 3),
        w.paragraph(20),
        createTable([
          ['Name', 'Ada Thorn'],
          ['Street', '7 Lighthouse Lane'],
          ['Town', 'Westcliff'],
          ['Telephone', '0123 456'],
        ]),
        w.paragraph(8),
        w.lines(['☐ First choice', '☒ Second choice', '☐ Third choice']),
        w.paragraph(20),
      ),
  },
  {
    name: 'cover-photo',
    css: '@page :first { margin: 0 } .cover { display: block; width: 210mm; height: 296mm } .after { break-before: page }',
    write: (w) =>
      join(
        w.image(794, 1120, 'class="cover"'),
        wrap(
          'class="after"',
          w.heading(1),
          times(4, () => w.paragraph(60)),
        ),
      ),
  },
  {
    name: 'colored-box',
    css: '.box { background: #dde8f4; padding: 10pt; margin: 10pt 0 }',
    write: (w) =>
      join(
        w.heading(1),
        w.paragraph(50),
        wrap('class="box"', w.paragraph(40)),
        w.paragraph(50),
        wrap('class="box"', w.paragraph(30)),
        w.paragraph(40),
      ),
  },
  {
    name: 'image',
    write: (w) =>
      join(
        w.heading(1),
        w.paragraph(50),
        w.image(320, 200),
        w.paragraph(6, 'style="font-size:9pt"'),
        times(2, () => w.paragraph(60)),
      ),
  },
  {
    name: 'contract',
    isFromOffice: true,
    css: serif,
    write: (w) =>
      join(
        w.heading(1, 3),
        times(5, (at) => join(wrap('', w.heading(2, 3)), w.paragraph(45), w.list('ol', 2 + (at % 2), 20))),
      ),
  },
  {
    name: 'arabic',
    css: 'body { font-family: "Noto Naskh Arabic"; direction: rtl }',
    write: () =>
      join(
        ...[
          'تقرير الميناء السنوي',
          'وصلت السفينة إلى الميناء في الصباح الباكر وكان الطقس جيدا والبحر هادئا طوال الرحلة من الشمال إلى الجنوب. وصلت السفينة إلى الميناء في الصباح الباكر وكان الطقس جيدا والبحر هادئا طوال الرحلة من الشمال إلى الجنوب. وصلت السفينة إلى الميناء في الصباح الباكر وكان الطقس جيدا والبحر هادئا طوال الرحلة من الشمال إلى الجنوب.',
          'اجتمع المجلس في المساء واتفق على بناء جسر جديد فوق النهر لأن الجسر القديم لم يعد آمنا للعربات الثقيلة. اجتمع المجلس في المساء واتفق على بناء جسر جديد فوق النهر لأن الجسر القديم لم يعد آمنا للعربات الثقيلة. اجتمع المجلس في المساء واتفق على بناء جسر جديد فوق النهر لأن الجسر القديم لم يعد آمنا للعربات الثقيلة.',
        ].map((text): Part => ({ html: `<p>${text}</p>`, blocks: [{ kind: 'paragraph', text }] })),
      ),
  },
  {
    name: 'chinese',
    css: 'body { font-family: "Noto Sans CJK SC" }',
    write: () =>
      join(
        ...[
          '港口年度报告已经完成',
          '船只清晨抵达港口，天气晴朗，海面平静，从北方到南方的整个航程都很顺利，船长对这次航行非常满意。船只清晨抵达港口，天气晴朗，海面平静，从北方到南方的整个航程都很顺利，船长对这次航行非常满意。船只清晨抵达港口，天气晴朗，海面平静，从北方到南方的整个航程都很顺利，船长对这次航行非常满意。',
          '议会晚上开会，同意在河上建造一座新桥，因为旧桥对重型车辆已经不再安全，工程将于明年春天开始。议会晚上开会，同意在河上建造一座新桥，因为旧桥对重型车辆已经不再安全，工程将于明年春天开始。议会晚上开会，同意在河上建造一座新桥，因为旧桥对重型车辆已经不再安全，工程将于明年春天开始。',
        ].map((text): Part => ({ html: `<p>${text}</p>`, blocks: [{ kind: 'paragraph', text }] })),
      ),
  },
  {
    name: 'landscape',
    css: '@page { size: A4 landscape }',
    write: (w) => join(w.heading(1), w.table(7, 10), w.paragraph(40)),
  },
  {
    name: 'recipe',
    isFromOffice: true,
    write: (w) =>
      join(
        w.heading(1, 2),
        w.image(200, 120),
        w.heading(2, 1),
        w.list('ul', 7, 4),
        w.heading(2, 1),
        w.list('ol', 5, 22),
      ),
  },
  {
    name: 'newsletter',
    css: '.columns > h2:first-child { margin-top: 0 } .columns { columns: 3; column-gap: 16pt } body { font-size: 9.5pt }',
    write: (w) =>
      join(
        w.heading(1),
        wrap(
          'class="columns"',
          times(6, () => join(w.heading(2, 2), w.paragraph(60))),
        ),
      ),
  },
  { name: 'long-table', isFromOffice: true, write: (w) => join(w.heading(1), w.table(3, 70)) },
  {
    name: 'wide-cells',
    isFromOffice: true,
    write: (w) => join(w.heading(1), w.table(2, 6, { length: 18 }), w.paragraph(40)),
  },
  {
    name: 'quotes',
    isFromOffice: true,
    css: `${serif} blockquote { margin: 10pt 40pt; font-style: italic }`,
    write: (w) =>
      join(
        w.heading(1),
        times(4, () =>
          join(w.paragraph(50), wrap('style="margin:10pt 40pt;font-style:italic"', w.paragraph(30))),
        ),
      ),
  },
  {
    name: 'minutes',
    write: (w) =>
      join(
        w.heading(1, 3),
        createTable(
          [
            ['Place', 'Town hall'],
            ['Date', '3 March'],
            ['Present', 'Ada, Bo, Cy'],
          ],
          'class="plain"',
        ),
        times(4, () => join(w.heading(2, 3), w.paragraph(35), w.list('ul', 2))),
      ),
  },
  {
    name: 'mixed',
    isFromOffice: true,
    write: (w) =>
      join(
        w.heading(1),
        w.paragraph(60),
        w.table(3, 4),
        w.heading(2),
        w.list('ol', 4),
        w.image(240, 120),
        w.paragraph(60),
        w.heading(2),
        w.table(2, 3),
      ),
  },
  {
    name: 'justified',
    css: `${serif} p { text-align: justify; text-indent: 18pt; margin: 0 }`,
    write: (w) =>
      join(
        w.heading(1),
        times(8, () => w.paragraph(80)),
      ),
  },
  {
    name: 'price-list',
    css: 'table { width: 100% } td + td, th + th { text-align: right }',
    write: (w) =>
      join(
        w.heading(1),
        times(3, () =>
          join(
            w.heading(2, 2),
            createTable(
              [
                ['Article', 'Number', 'Price'],
                ...Array.from({ length: 5 }, (_, at) => [w.words(3), `${1000 + at}`, `${at * 7 + 3}.90`]),
              ],
              'class="plain"',
            ),
          ),
        ),
      ),
  },
]

/** The page that both programs print. */
export const toPage = (
  css: string,
  body: string,
) => `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Known</title><style>
@page { size: A4; margin: 20mm }
body { font-family: "Liberation Sans"; font-size: 11pt; line-height: 1.3; margin: 0 }
h1 { font-size: 20pt; margin: 0 0 12pt } h2 { font-size: 14pt; margin: 14pt 0 6pt } p { margin: 0 0 8pt }
table { border-collapse: collapse; margin: 8pt 0 } td, th { padding: 3pt 8pt; text-align: left; vertical-align: top }
table.ruled td, table.ruled th { border: 0.75pt solid #444 } table.plain td, table.plain th { padding-right: 24pt }
.row { display: flex; justify-content: space-between; margin-bottom: 20pt }
${css}</style><body>${body}</body></html>`
