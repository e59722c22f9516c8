// Credentials and region of all S3 tests.
export const s3Credentials = { accessKeyId: 'AKLOCAL', secretAccessKey: 'secret/with+signs' }
export const region = 'us-east-1'
