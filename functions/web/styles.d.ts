/** The bundler gives the rules as minified text. */
declare module '*.css' {
  const text: string
  export default text
}
