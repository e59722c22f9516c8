import type { FunctionDeclaration } from '../resources/function-declaration.ts'
import { createArnReference } from './references.ts'
import type { Stage } from './stage.ts'

/** Two availability zones, so that the service keeps running if one of them fails. */
const zones = [0, 1] as const
const getSubnetId = (zoneIndex: number) => `ClosedSubnet${zoneIndex + 1}`

const createSubnets = (zoneNames: Stage['zones']) =>
  Object.fromEntries(
    zones.flatMap((zone) => [
      [
        getSubnetId(zone),
        {
          Type: 'AWS::EC2::Subnet',
          Properties: {
            VpcId: { Ref: 'ClosedNetwork' },
            AvailabilityZone: zoneNames?.[zone] ?? { 'Fn::Select': [zone, { 'Fn::GetAZs': '' }] },
            // Functions share network interfaces and need few IP addresses, but a smaller range would save nothing.
            CidrBlock: `10.0.${zone * 16}.0/20`,
            MapPublicIpOnLaunch: false,
          },
        },
      ],
      [
        `${getSubnetId(zone)}Routes`,
        {
          Type: 'AWS::EC2::SubnetRouteTableAssociation',
          Properties: { SubnetId: { Ref: getSubnetId(zone) }, RouteTableId: { Ref: 'ClosedRoutes' } },
        },
      ],
    ]),
  )

const createEndpointPolicy = (Action: readonly string[], Resource: unknown) => ({
  PolicyDocument: {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action, Resource }],
  },
})

/**
 * Creates a gateway endpoint, which is free of charge. Its policy only allows the service's own bucket or table, with
 * any credentials.
 */
const createGatewayEndpoint = (service: string, policy: object) => ({
  Type: 'AWS::EC2::VPCEndpoint',
  Properties: {
    VpcEndpointType: 'Gateway',
    VpcId: { Ref: 'ClosedNetwork' },
    ServiceName: { 'Fn::Sub': `com.amazonaws.\${AWS::Region}.${service}` },
    RouteTableIds: [{ Ref: 'ClosedRoutes' }],
    ...policy,
  },
})

const createInterfaceEndpoint = (service: string, policy: object) => ({
  Type: 'AWS::EC2::VPCEndpoint',
  Properties: {
    VpcEndpointType: 'Interface',
    VpcId: { Ref: 'ClosedNetwork' },
    ServiceName: { 'Fn::Sub': `com.amazonaws.\${AWS::Region}.${service}` },
    SubnetIds: zones.map((zone) => ({ Ref: getSubnetId(zone) })),
    SecurityGroupIds: [{ Ref: 'EndpointsGuard' }],
    PrivateDnsEnabled: true,
    ...policy,
  },
})

const tls = { IpProtocol: 'tcp', FromPort: 443, ToPort: 443 }

/** Creates a VPC without an internet gateway, from which only four AWS services can be reached. */
export const createNetworkResources = ({
  isolation,
  zones: zoneNames,
}: Pick<Stage, 'isolation' | 'zones'>) =>
  isolation === 'none'
    ? {}
    : {
        ClosedNetwork: {
          Type: 'AWS::EC2::VPC',
          Properties: { CidrBlock: '10.0.0.0/16', EnableDnsHostnames: true, EnableDnsSupport: true },
        },
        ...createSubnets(zoneNames),
        // Contains only the local route and the routes of the gateway endpoints.
        ClosedRoutes: { Type: 'AWS::EC2::RouteTable', Properties: { VpcId: { Ref: 'ClosedNetwork' } } },
        ClosedGuard: {
          Type: 'AWS::EC2::SecurityGroup',
          Properties: {
            GroupDescription: 'Functions without internet access',
            VpcId: { Ref: 'ClosedNetwork' },
            // Only TLS is allowed; the routes and the endpoint policies restrict the destinations.
            SecurityGroupEgress: [{ ...tls, CidrIp: '0.0.0.0/0', Description: 'endpoints' }],
          },
        },
        EndpointsGuard: {
          Type: 'AWS::EC2::SecurityGroup',
          Properties: {
            GroupDescription: 'Endpoints for queues and events',
            VpcId: { Ref: 'ClosedNetwork' },
            SecurityGroupIngress: [
              { ...tls, SourceSecurityGroupId: getSecurityGroupId('ClosedGuard'), Description: 'functions' },
            ],
            // Endpoints only respond and never open connections.
            SecurityGroupEgress: [{ ...tls, CidrIp: '127.0.0.1/32', Description: 'none' }],
          },
        },
        StorageEndpoint: createGatewayEndpoint(
          's3',
          createEndpointPolicy(
            [
              's3:GetObject',
              's3:PutObject',
              's3:DeleteObject',
              's3:AbortMultipartUpload',
              's3:ListBucket',
              's3:ListMultipartUploadParts',
            ],
            ['Bucket', 'SecretsBucket'].flatMap((id) => [
              createArnReference(id),
              { 'Fn::Sub': `\${${id}.Arn}/*` },
            ]),
          ),
        ),
        TableEndpoint: createGatewayEndpoint(
          'dynamodb',
          createEndpointPolicy(
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
            [createArnReference('Table'), { 'Fn::Sub': `\${Table.Arn}/index/*` }],
          ),
        ),
        QueuesEndpoint: createInterfaceEndpoint(
          'sqs',
          createEndpointPolicy(['sqs:SendMessage', 'sqs:ChangeMessageVisibility', 'sqs:GetQueueAttributes'], {
            'Fn::Sub': `arn:\${AWS::Partition}:sqs:\${AWS::Region}:\${AWS::AccountId}:\${self:service}-\${sls:stage}-*`,
          }),
        ),
        EventsEndpoint: createInterfaceEndpoint(
          'events',
          createEndpointPolicy(['events:PutEvents'], createArnReference('Bus')),
        ),
      }

function getSecurityGroupId(id: string) {
  return { 'Fn::GetAtt': [id, 'GroupId'] }
}

/**
 * Returns whether a function runs in the closed network. Functions of images have no declaration and always run there.
 */
export const isInVpc = ({ reaches = [] }: Pick<FunctionDeclaration, 'reaches'> = {}): boolean =>
  reaches.length === 0

/** Returns `vpc` of a function in the closed network. */
export const createVpcSettings = ({ isolation }: Pick<Stage, 'isolation'>) =>
  isolation === 'vpc' && {
    vpc: {
      subnetIds: zones.map((zone) => ({ Ref: getSubnetId(zone) })),
      securityGroupIds: [getSecurityGroupId('ClosedGuard')],
    },
  }
