"""Converts a file with requests: python3 convert.py report.docx pdf"""

import os
import sys
import uuid

import requests

URL = os.environ.get("MUTABOR_URL", "http://localhost:8080")
path, target = sys.argv[1:3]

session = requests.Session()
if os.environ.get("MUTABOR_API_KEY"):
    session.headers["Authorization"] = f"Bearer {os.environ['MUTABOR_API_KEY']}"


def data_of(response: requests.Response) -> dict:
    body = response.json()
    if not response.ok:
        error = body["error"]
        sys.exit(f"{error['code']}: {error['message']}")
    return body["data"]


with open(path, "rb") as file:
    job = data_of(
        session.post(
            f"{URL}/v1/convert",
            files={"file": (os.path.basename(path), file)},
            data={"targetFormat": target},
            # A retry with the same key does not create a second job.
            headers={"Prefer": "wait=25", "Idempotency-Key": str(uuid.uuid4())},
            timeout=300,
        )
    )

while job["status"] in ("pending", "queued", "processing"):
    status = session.get(f"{URL}/v1/status/{job['jobId']}", headers={"Prefer": "wait=25"}, timeout=60)
    job = data_of(status)

if job["status"] != "completed":
    sys.exit(f"{job['error']['code']}: {job['error']['message']}")

for result in job["result"]["files"]:
    with requests.get(result["downloadUrl"], stream=True, timeout=60) as download:
        download.raise_for_status()
        with open(result["filename"], "wb") as out:
            for chunk in download.iter_content(1 << 16):
                out.write(chunk)
    print(result["filename"])
