import { packageDeployment } from './deployment.ts'

export const { lambda, layerBytes, ofType, onPackage, properties, queueOf, template, zipBytes } =
  packageDeployment()
