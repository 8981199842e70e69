# One image for the service, its workers and bulk runs; the command tells which.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir build==1.2.2 && python -m build --wheel --outdir /wheels

FROM python:3.11-slim-bookworm
# libseccomp: the cage of the parser. tesseract's data: OCR.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libseccomp2 tesseract-ocr-eng \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[s3]" && rm -rf /wheels \
    && useradd --uid 10001 --create-home spanproof \
    && install --directory --owner=10001 --mode=0700 /var/lib/spanproof
USER 10001
WORKDIR /var/lib/spanproof
ENV SPANPROOF_HOME=/var/lib/spanproof/home
VOLUME /var/lib/spanproof
EXPOSE 8321
ENTRYPOINT ["spanproof"]
CMD ["serve", "--host", "0.0.0.0"]
