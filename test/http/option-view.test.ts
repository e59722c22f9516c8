import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { timestampOption } from '../../lib/engines/ffmpeg/options.ts'
import { decimal, flag, integer, quality } from '../../lib/engines/options.ts'
import { colorOption, imageOptionShape } from '../../lib/engines/shared/image/options.ts'
import {
  watermarkColor as markColor,
  watermarkOptionShape,
} from '../../lib/engines/shared/image/watermark-options.ts'
import { optionLabels } from '../../lib/http/openapi/option-labels.ts'
import { createOptionViews } from '../../lib/http/openapi/option-view.ts'

const createView = (name: string, schema: z.ZodType) => {
  const [onlyView, ...moreViews] = createOptionViews(z.object({ [name]: schema }))
  assert.ok(onlyView && moreViews.length === 0)
  return onlyView
}

describe('views of conversion options', () => {
  test('the view of a number option contains its limits, unit and default', () => {
    assert.deepEqual(createView('width', integer(1, 30).default(7).describe('Wide.')), {
      name: 'width',
      label: 'Width',
      type: 'integer',
      group: 'basics',
      widget: 'number',
      unit: 'px',
      description: 'Wide.',
      default: 7,
      min: 1,
      max: 30,
    })
    assert.deepEqual(createView('gap', decimal(0, 10).optional()), {
      name: 'gap',
      label: 'Silence between files',
      type: 'number',
      group: 'more',
      widget: 'number',
      unit: 's',
      description: '',
      min: 0,
      max: 10,
    })
    const unlimitedView = createView('other', z.int().optional())
    assert.deepEqual(unlimitedView, {
      name: 'other',
      label: 'other',
      type: 'integer',
      group: 'more',
      widget: 'number',
      description: '',
    })
  })

  test('the view of a Boolean, text or enum option has a switch, a text field or a choice with labeled values', () => {
    assert.deepEqual(createView('strip', flag().default(false)), {
      name: 'strip',
      label: 'Remove existing metadata first',
      type: 'boolean',
      group: 'more',
      widget: 'switch',
      description: '',
      default: false,
    })
    const text = createView('title', z.string().regex(/^a/).optional())
    assert.deepEqual([text.type, text.widget, text.pattern, text.enum], ['string', 'text', '^a', undefined])
    const choice = createView('fps', z.enum(['none', 'auto']))
    assert.deepEqual(
      [choice.type, choice.widget, choice.enum, choice.unit],
      ['enum', 'choice', ['none', 'auto'], undefined],
    )
    assert.deepEqual(choice.enumLabels, { none: 'None', auto: 'Automatic' })
    const rotateView = createView('rotate', imageOptionShape.rotate)
    assert.deepEqual([rotateView.type, rotateView.enum?.join()], ['enum', '0,90,180,270,-90,-180,-270'])
    assert.equal(rotateView.number, undefined, 'no other numbers are accepted')
  })

  test('the view of a choice option that also accepts a number contains the limits of the number', () => {
    const numberView = createView('quality', quality.optional())
    assert.deepEqual(
      [numberView.type, numberView.widget, numberView.min, numberView.max],
      ['enum', 'slider', 1, 100],
    )
    assert.deepEqual(numberView.number, { type: 'integer', min: 1, max: 100 })
    const fractionView = createView('other', z.union([z.number().min(0.5), z.enum(['all'])]))
    assert.deepEqual([fractionView.number, fractionView.widget], [{ type: 'number', min: 0.5 }, 'choice'])
  })

  test('the view of a color option has a color widget and one pattern that joins the patterns of the option', () => {
    const backgroundView = createView('background', colorOption.optional())
    assert.deepEqual([backgroundView.type, backgroundView.widget], ['string', 'color'])
    assert.match('#ff8800', new RegExp(backgroundView.pattern ?? '$^'))
    const watermarkColorView = createView('watermarkColor', markColor)
    assert.deepEqual([watermarkColorView.type, watermarkColorView.widget], ['enum', 'color'])
    assert.match('#f80', new RegExp(watermarkColorView.pattern ?? '$^'))
    assert.equal(createView('watermarkPosition', watermarkOptionShape.watermarkPosition).widget, 'position')
    const twoPatterns = z.union([z.string().regex(/^a$/), z.string().regex(/^b$/)])
    assert.equal(createView('other', twoPatterns).pattern, '(?:^a$)|(?:^b$)')
    assert.equal(createView('other', z.union([z.string().regex(/^a$/), z.string()])).pattern, undefined)
  })

  test('an option view shows whether a number may be sent as text, and whether the option is deprecated', () => {
    assert.equal(createView('start', timestampOption.optional()).spelled, true)
    assert.equal(createView('width', integer(0, 9)).spelled, undefined)
    const oldView = createView('bitrate', z.int().optional().meta({ description: 'Old.', deprecated: true }))
    assert.deepEqual([oldView.deprecated, oldView.description], [true, 'Old.'])
    assert.equal(createView('width', integer(0, 9)).deprecated, undefined)
  })

  test('the view of an option that accepts any text contains labeled suggestions', () => {
    const paperView = createView('pageSize', z.string().optional())
    assert.deepEqual(paperView.suggestions, ['A3', 'A4', 'A5', 'Letter', 'Legal'])
    assert.deepEqual(Object.keys(paperView.enumLabels ?? {}), ['A3', 'A4', 'A5', 'Letter', 'Legal'])
    assert.deepEqual([paperView.type, paperView.widget], ['string', 'paper'])
  })

  test('option views are in the order of the optionLabels table, with options that are not in the table last', () => {
    const schema = z.object({
      other: flag(),
      crf: integer(0, 9),
      height: integer(0, 9),
      width: integer(0, 9),
    })
    assert.deepEqual(
      createOptionViews(schema).map(({ name }) => name),
      ['width', 'height', 'crf', 'other'],
    )
    const repeatedViews = createOptionViews(schema)
    assert.ok(
      createOptionViews(schema).every((optionView, at) => optionView === repeatedViews[at]),
      'each is described once',
    )
  })
})

describe('views of all options', () => {
  const findOptionNames = (condition: (optionLabel: (typeof optionLabels)[string]) => boolean) =>
    Object.entries(optionLabels)
      .flatMap(([name, one]) => (condition(one) ? [name] : []))
      .join(' ')

  test('the basic conversion options appear in the expected order', () => {
    assert.equal(
      findOptionNames(({ basic }) => basic === true),
      'password quality targetSize profile pdfQuality pages layout resolution width height fit dpi fps start end timestamp count rotate background audioBitrate lossless language pageSize landscape paths sizes terms watermarkText watermarkPosition watermarkColor watermarkOpacity position format startNumber pdfaVersion colorMode ebookOutputProfile title author subject keywords',
    )
  })

  test('conversion options show the expected suggestions', () => {
    const getSuggestions = (name: string) => optionLabels[name]?.suggestions?.join(' ')
    const languages = 'eng deu fra spa ita por nld pol rus ukr tur ara hin jpn kor chi-sim chi-tra'
    assert.equal(getSuggestions('language'), languages)
    assert.equal(getSuggestions('ocrLanguage'), languages)
    assert.equal(
      getSuggestions('encoding'),
      'auto utf-8 utf-16le windows-1252 windows-1251 windows-1250 iso-8859-2 koi8-r shift_jis euc-jp gb18030 big5 euc-kr cp866',
    )
    assert.equal(getSuggestions('resolution'), '240p 360p 480p 720p 1080p 1440p 4k')
  })

  test('conversion options use the expected widgets and units', () => {
    const widgets = Object.groupBy(Object.entries(optionLabels), ([, { widget = '-' }]) => widget)
    const listWidgets = (name: string) =>
      (widgets[name as keyof typeof widgets] ?? []).map(([one]) => one).join(' ')
    assert.equal(
      listWidgets('slider'),
      'quality watermarkOpacity jpegQuality compressionLevel threshold smoothness colorPrecision scale watermarkScale',
    )
    assert.equal(listWidgets('length'), 'marginTop marginRight marginBottom marginLeft margin')
    assert.equal(listWidgets('password'), 'password ownerPassword currentPassword')
    assert.equal(listWidgets('time'), 'start end timestamp')
    assert.equal(listWidgets('color'), 'background watermarkColor fontColor')
    assert.equal(listWidgets('position'), 'watermarkPosition position')
    assert.equal(listWidgets('rate'), 'audioBitrate videoBitrate bitrate')
    assert.equal(listWidgets('size'), 'targetSize maxFileSize')
    assert.equal(listWidgets('pages'), 'pages pageRange')
    assert.equal(listWidgets('languages'), 'language ocrLanguage')
    assert.equal(
      [listWidgets('paper'), listWidgets('multiline'), listWidgets('date')].join(' '),
      'pageSize terms creationDate',
    )
    const findNamesWithUnit = (unit: string) => findOptionNames((optionLabel) => optionLabel.unit === unit)
    assert.equal(findNamesWithUnit('px'), 'width height sizes downscale filterSpeckle pixelSize')
    assert.equal(findNamesWithUnit('s'), 'start end timestamp gap')
    assert.equal(findNamesWithUnit('%'), 'threshold blankThreshold watermarkScale')
    assert.equal(
      findNamesWithUnit('pt'),
      'cropBox fontSize watermarkFontSize watermarkMargin ebookMargin ebookBaseFontSize',
    )
    assert.equal(findNamesWithUnit('bit/s'), 'audioBitrate videoBitrate bitrate')
    assert.equal(findNamesWithUnit('bytes'), 'targetSize maxFileSize')
    assert.equal(
      findOptionNames(({ suggestions }) => suggestions !== undefined),
      'resolution language pageSize format delimiter encoding ocrLanguage',
    )
  })
})
