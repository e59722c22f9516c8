/** The parts of a CloudFormation template that the checks use. */
export interface Resource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
  readonly DeletionPolicy?: string
}
export interface Template {
  readonly Resources: Readonly<Record<string, Resource>>
}

/** A problem and its location, such as `ApiRole.Policies[0]`. */
export interface TemplateFinding {
  readonly at: string
  readonly problem: string
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns whether a value is an intrinsic function, which CloudFormation evaluates during the deployment. */
export const isIntrinsic = (value: unknown): boolean => {
  if (!isRecord(value)) return false
  const [name = '', ...otherKeys] = Object.keys(value)
  return otherKeys.length === 0 && (name === 'Ref' || name === 'Condition' || name.startsWith('Fn::'))
}
