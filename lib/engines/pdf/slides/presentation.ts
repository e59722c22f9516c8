import type library from 'pptxgenjs'

export type Presentation = InstanceType<typeof library.default>
export type Slide = library.default.Slide
export type TextRun = library.default.TextProps

/** Loaded when it is wanted: the planner and the API never need it. */
export async function newPresentation(): Promise<Presentation> {
  // Its types are those of CommonJS, where the class is one step further down than in the module that Node loads.
  const { default: Made } = (await import('pptxgenjs')) as unknown as { default: new () => Presentation }
  return new Made()
}
