/** The bundler provides style sheets as minified text. */
declare module '*.css' {
  const text: string
  export default text
}

/** The bundler provides the icons of lucide-static as elements with their attributes. */
declare module '*.svg' {
  const elements: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[]
  export default elements
}
