<?php
// Converts a file with PHP's curl: php convert.php report.docx pdf

$url = getenv('MUTABOR_URL') ?: 'http://localhost:8080';
$key = getenv('MUTABOR_API_KEY');
[, $path, $target] = $argv;

function call(string $url, array $headers, ?array $form = null): array
{
    $curl = curl_init($url);
    curl_setopt_array($curl, [
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_TIMEOUT => 300,
    ]);
    if ($form !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, $form);
    }
    $response = curl_exec($curl);
    if ($response === false) {
        fail(curl_error($curl));
    }
    $body = json_decode($response, true);
    if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) >= 400) {
        fail($body['error']['code'] . ': ' . $body['error']['message']);
    }
    return $body['data'];
}

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(1);
}

$headers = ['Prefer: wait=25', 'Idempotency-Key: ' . bin2hex(random_bytes(16))];
if ($key) {
    $headers[] = "Authorization: Bearer $key";
}
$job = call("$url/v1/convert", $headers, ['file' => new CURLFile($path), 'targetFormat' => $target]);

while (in_array($job['status'], ['pending', 'queued', 'processing'], true)) {
    $job = call("$url/v1/status/{$job['jobId']}", $headers);
}
if ($job['status'] !== 'completed') {
    fail($job['error']['code'] . ': ' . $job['error']['message']);
}

foreach ($job['result']['files'] as $result) {
    $out = fopen($result['filename'], 'wb');
    $download = curl_init($result['downloadUrl']);
    curl_setopt_array($download, [CURLOPT_FILE => $out, CURLOPT_FOLLOWLOCATION => true, CURLOPT_FAILONERROR => true]);
    if (!curl_exec($download)) {
        fail(curl_error($download));
    }
    fclose($out);
    echo $result['filename'], "\n";
}
