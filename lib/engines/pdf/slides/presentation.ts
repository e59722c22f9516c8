import type library from 'pptxgenjs'

export type Presentation = InstanceType<typeof library.default>
export type Slide = library.default.Slide
export type TextRun = library.default.TextProps

/** Creates a presentation. Imports the library on demand, because the planner and the API never need it. */
export async function createPresentation(): Promise<Presentation> {
  // The types describe the CommonJS build, which nests the class one level deeper than the module that Node loads.
  const { default: PptxGenJs } = (await import('pptxgenjs')) as unknown as { default: new () => Presentation }
  return new PptxGenJs()
}
