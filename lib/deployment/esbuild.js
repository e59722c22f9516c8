// serverless-esbuild calls what it loads, as packages in the older module format export it.
export { serverlessEsbuild as 'module.exports' } from './bundle.ts'
