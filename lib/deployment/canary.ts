import { imageIds } from '../component-ids.ts'
import { functionNames } from '../resources/functions.ts'
import { arnOf, functionResourceId, pascalCase } from './references.ts'
import { isDeployed, type Stage } from './stage.ts'

/** The alias of a function that its trigger invokes. */
export const liveAlias = 'live'
const aliasId = (name: string) => `${functionResourceId(name)}LiveAlias`
const groupId = (name: string) => `${pascalCase(name)}Release`

/** The framework's record of a function, as far as it is used here. */
interface FrameworkFunction {
  versionFunction?: boolean
  /** All triggers of a function with it invoke the alias. */
  targetAlias?: { readonly name: string; readonly logicalId: string }
  /** Set when the function was compiled. */
  readonly versionLogicalId?: string
}
export type FrameworkFunctions = Readonly<Record<string, FrameworkFunction>>

/** Makes the framework publish a version of each function, and its triggers invoke the alias. */
export function useAliases(functions: FrameworkFunctions): void {
  for (const [name, one] of Object.entries(functions)) {
    one.versionFunction = true
    one.targetAlias = { name: liveAlias, logicalId: aliasId(name) }
  }
}

/** Returns the aliases of compiled functions. CodeDeploy moves an alias when its version changes. */
export const aliasResources = (functions: FrameworkFunctions) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, { versionLogicalId }]) => {
      if (versionLogicalId === undefined) throw new Error(`The framework published no version of ${name}.`)
      return [
        aliasId(name),
        {
          Type: 'AWS::Lambda::Alias',
          Properties: {
            Name: liveAlias,
            FunctionName: { Ref: functionResourceId(name) },
            FunctionVersion: arnOf(versionLogicalId, 'Version'),
          },
          UpdatePolicy: {
            CodeDeployLambdaAliasUpdate: {
              ApplicationName: { Ref: 'Releases' },
              DeploymentGroupName: { Ref: groupId(name) },
            },
          },
        },
      ]
    }),
  )

/** Alarms that return all invocations to the previous version, by function. */
const alarmsOf = (name: string) => [`${pascalCase(name)}Fails`, 'RequestsFail']

const arn = (service: string, resource: string) => ({
  'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`,
})

const releaseRole = {
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: { Service: 'codedeploy.amazonaws.com' }, Action: 'sts:AssumeRole' },
      ],
    },
    Policies: [
      {
        PolicyName: 'release',
        PolicyDocument: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
              Resource: arn('lambda', `function:\${self:service}-\${sls:stage}-*`),
            },
            {
              Effect: 'Allow',
              Action: ['cloudwatch:DescribeAlarms'],
              Resource: arn('cloudwatch', 'alarm:*'),
            },
          ],
        },
      },
    ],
  },
}

/** Returns what CodeDeploy needs: a group per function, because a group makes one deployment at a time. */
export const canaryResources = (stage: Stage) => {
  const { canary } = stage
  if (canary === undefined) return {}
  const names = [
    ...functionNames.filter((name) => isDeployed(name, stage)),
    ...imageIds.map((image) => `convert-${image}`),
  ]
  return {
    Releases: {
      Type: 'AWS::CodeDeploy::Application',
      Properties: { ApplicationName: `\${self:service}-\${sls:stage}`, ComputePlatform: 'Lambda' },
    },
    ReleaseRole: releaseRole,
    ...Object.fromEntries(
      names.map((name) => [
        groupId(name),
        {
          Type: 'AWS::CodeDeploy::DeploymentGroup',
          Properties: {
            ApplicationName: { Ref: 'Releases' },
            DeploymentGroupName: name,
            ServiceRoleArn: arnOf('ReleaseRole'),
            DeploymentConfigName: `CodeDeployDefault.Lambda${canary}`,
            DeploymentStyle: {
              DeploymentType: 'BLUE_GREEN',
              DeploymentOption: 'WITH_TRAFFIC_CONTROL',
            },
            AlarmConfiguration: {
              Enabled: true,
              Alarms: alarmsOf(name).map((id) => ({ Name: { Ref: id } })),
            },
            AutoRollbackConfiguration: {
              Enabled: true,
              Events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM'],
            },
          },
        },
      ]),
    ),
  }
}
