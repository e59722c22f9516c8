import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { arnOf } from './references.ts'
import type { Stage } from './stage.ts'

/** Subnets of two zones, so that one of them may fail. */
const zones = [0, 1] as const
const subnetId = (zone: number) => `ClosedSubnet${zone + 1}`

const subnets = () =>
  Object.fromEntries(
    zones.flatMap((zone) => [
      [
        subnetId(zone),
        {
          Type: 'AWS::EC2::Subnet',
          Properties: {
            VpcId: { Ref: 'ClosedNetwork' },
            AvailabilityZone: { 'Fn::Select': [zone, { 'Fn::GetAZs': '' }] },
            // Each environment of a function takes no address of its own, but there is no reason to be stingy.
            CidrBlock: `10.0.${zone * 16}.0/20`,
            MapPublicIpOnLaunch: false,
          },
        },
      ],
      [
        `${subnetId(zone)}Routes`,
        {
          Type: 'AWS::EC2::SubnetRouteTableAssociation',
          Properties: { SubnetId: { Ref: subnetId(zone) }, RouteTableId: { Ref: 'ClosedRoutes' } },
        },
      ],
    ]),
  )

const endpointPolicy = (Action: readonly string[], Resource: unknown) => ({
  PolicyDocument: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action, Resource }],
  },
})

/** Free; what is sent through them goes to the service's own bucket and table, whosever keys are used. */
const gatewayEndpoint = (service: string, policy: object) => ({
  Type: 'AWS::EC2::VPCEndpoint',
  Properties: {
    VpcEndpointType: 'Gateway',
    VpcId: { Ref: 'ClosedNetwork' },
    ServiceName: { 'Fn::Sub': `com.amazonaws.\${AWS::Region}.${service}` },
    RouteTableIds: [{ Ref: 'ClosedRoutes' }],
    ...policy,
  },
})

const interfaceEndpoint = (service: string, policy: object) => ({
  Type: 'AWS::EC2::VPCEndpoint',
  Properties: {
    VpcEndpointType: 'Interface',
    VpcId: { Ref: 'ClosedNetwork' },
    ServiceName: { 'Fn::Sub': `com.amazonaws.\${AWS::Region}.${service}` },
    SubnetIds: zones.map((zone) => ({ Ref: subnetId(zone) })),
    SecurityGroupIds: [{ Ref: 'EndpointsGuard' }],
    PrivateDnsEnabled: true,
    ...policy,
  },
})

const tls = { IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }

/** A network without a gateway to the internet: from inside, only these four parts of AWS are reached. */
export const networkResources = ({ isolation }: Pick<Stage, 'isolation'>) =>
  isolation === 'none'
    ? {}
    : {
        ClosedNetwork: {
          Type: 'AWS::EC2::VPC',
          Properties: { CidrBlock: '10.0.0.0/16', EnableDnsHostnames: true, EnableDnsSupport: true },
        },
        ...subnets(),
        // It has no route but the local one and those of the gateway endpoints.
        ClosedRoutes: { Type: 'AWS::EC2::RouteTable', Properties: { VpcId: { Ref: 'ClosedNetwork' } } },
        ClosedGuard: {
          Type: 'AWS::EC2::SecurityGroup',
          Properties: {
            GroupDescription: 'Functions without a way out',
            VpcId: { Ref: 'ClosedNetwork' },
            // By TLS alone; where to, the routes and the policies of the endpoints decide.
            SecurityGroupEgress: [{ ...tls, CidrIp: '0.0.0.0/0', Description: 'endpoints' }],
          },
        },
        EndpointsGuard: {
          Type: 'AWS::EC2::SecurityGroup',
          Properties: {
            GroupDescription: 'Endpoints of queues and events',
            VpcId: { Ref: 'ClosedNetwork' },
            SecurityGroupIngress: [
              { ...tls, SourceSecurityGroupId: securityGroupId('ClosedGuard'), Description: 'functions' },
            ],
            // They answer and begin nothing.
            SecurityGroupEgress: [{ ...tls, CidrIp: '127.0.0.1/32', Description: 'none' }],
          },
        },
        StorageEndpoint: gatewayEndpoint(
          's3',
          endpointPolicy(
            [
              's3:GetObject',
              's3:PutObject',
              's3:DeleteObject',
              's3:AbortMultipartUpload',
              's3:ListBucket',
              's3:ListMultipartUploadParts',
            ],
            ['Bucket', 'SecretsBucket'].flatMap((id) => [arnOf(id), { 'Fn::Sub': `\${${id}.Arn}/*` }]),
          ),
        ),
        TableEndpoint: gatewayEndpoint(
          'dynamodb',
          endpointPolicy(
            [
              'GetItem',
              'BatchGetItem',
              'Query',
              'PutItem',
              'UpdateItem',
              'DeleteItem',
              'BatchWriteItem',
              'ConditionCheckItem',
            ].map((action) => `dynamodb:${action}`),
            [arnOf('Table'), { 'Fn::Sub': `\${Table.Arn}/index/*` }],
          ),
        ),
        QueuesEndpoint: interfaceEndpoint(
          'sqs',
          endpointPolicy(['sqs:SendMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'], {
            'Fn::Sub': `arn:\${AWS::Partition}:sqs:\${AWS::Region}:\${AWS::AccountId}:\${self:service}-\${sls:stage}-*`,
          }),
        ),
        EventsEndpoint: interfaceEndpoint('events', endpointPolicy(['events:PutEvents'], arnOf('Bus'))),
      }

function securityGroupId(id: string) {
  return { 'Fn::GetAtt': [id, 'GroupId'] }
}

/** Whether a function stays in; that of an image has no row. */
export const isInVpc = ({ reaches = [] }: Pick<FunctionDeclaration, 'reaches'> = {}): boolean =>
  reaches.length === 0

/** `vpc` of a function that is closed in. */
export const vpcSettings = ({ isolation }: Pick<Stage, 'isolation'>) =>
  isolation === 'vpc' && {
    vpc: {
      subnetIds: zones.map((zone) => ({ Ref: subnetId(zone) })),
      securityGroupIds: [securityGroupId('ClosedGuard')],
    },
  }
