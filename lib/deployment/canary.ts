import { imageIds } from '../component-ids.ts'
import { functionNames } from '../resources/functions.ts'
import { createArnReference, getFunctionResourceId, toPascalCase } from './references.ts'
import { isDeployed, type Stage } from './stage.ts'

/** Name of the alias that the trigger of each function invokes. */
export const liveAlias = 'live'
const getAliasId = (name: string) => `${getFunctionResourceId(name)}LiveAlias`
const getGroupId = (name: string) => `${toPascalCase(name)}Release`

/** The parts of the framework's function object that are used here. */
interface FrameworkFunction {
  versionFunction?: boolean
  /** If set, all triggers of the function invoke the alias. */
  targetAlias?: { readonly name: string; readonly logicalId: string }
  /** Id of the version resource; set once the function was compiled. */
  readonly versionLogicalId?: string
}
export type FrameworkFunctions = Readonly<Record<string, FrameworkFunction>>

/** Makes the framework publish a version of each function, and makes triggers invoke the alias. */
export function useAliases(functions: FrameworkFunctions): void {
  for (const [name, frameworkFunction] of Object.entries(functions)) {
    frameworkFunction.versionFunction = true
    frameworkFunction.targetAlias = { name: liveAlias, logicalId: getAliasId(name) }
  }
}

/** Returns the aliases of compiled functions. CodeDeploy moves an alias when its version changes. */
export const createAliasResources = (functions: FrameworkFunctions) =>
  Object.fromEntries(
    Object.entries(functions).map(([name, { versionLogicalId }]) => {
      if (versionLogicalId === undefined) throw new Error(`The framework published no version of ${name}.`)
      return [
        getAliasId(name),
        {
          Type: 'AWS::Lambda::Alias',
          Properties: {
            Name: liveAlias,
            FunctionName: { Ref: getFunctionResourceId(name) },
            FunctionVersion: createArnReference(versionLogicalId, 'Version'),
          },
          UpdatePolicy: {
            CodeDeployLambdaAliasUpdate: {
              ApplicationName: { Ref: 'Releases' },
              DeploymentGroupName: { Ref: getGroupId(name) },
            },
          },
        },
      ]
    }),
  )

/** Returns the alarms that make CodeDeploy roll a function back to its previous version. */
const getAlarmIds = (name: string) => [`${toPascalCase(name)}Fails`, 'RequestsFail']

const createArn = (service: string, resource: string) => ({
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
              Resource: createArn('lambda', `function:\${self:service}-\${sls:stage}-*`),
            },
            {
              Effect: 'Allow',
              Action: ['cloudwatch:DescribeAlarms'],
              Resource: createArn('cloudwatch', 'alarm:*'),
            },
          ],
        },
      },
    ],
  },
}

/** Returns the resources for CodeDeploy: a group per function, because a group makes one deployment at a time. */
export const createCanaryResources = (stage: Stage) => {
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
        getGroupId(name),
        {
          Type: 'AWS::CodeDeploy::DeploymentGroup',
          Properties: {
            ApplicationName: { Ref: 'Releases' },
            DeploymentGroupName: name,
            ServiceRoleArn: createArnReference('ReleaseRole'),
            DeploymentConfigName: `CodeDeployDefault.Lambda${canary}`,
            DeploymentStyle: {
              DeploymentType: 'BLUE_GREEN',
              DeploymentOption: 'WITH_TRAFFIC_CONTROL',
            },
            AlarmConfiguration: {
              Enabled: true,
              Alarms: getAlarmIds(name).map((id) => ({ Name: { Ref: id } })),
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
