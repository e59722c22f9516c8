/** The bundler provides style sheets as minified text. */
declare module '*.css' {
  const text: string
  export default text
}
