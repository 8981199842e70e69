# One image for the service, its workers and bulk runs; the command tells which.
# It holds no torch: 136 packages, 1.46 GB, beside Python's own image. For models other than the embedded one, with torch built for the CPU:
#   docker build --build-arg EXTRAS=server,s3,torch --build-arg \
#     TORCH_INDEX=https://download.pytorch.org/whl/cpu .
# 'serve' listens beyond loopback only once a key exists, and says so otherwise; the first one:
#   docker run --rm -v VOLUME:/var/lib/spanproof IMAGE keys create --scope admin
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir build==1.2.2 && python -m build --wheel --outdir /wheels

FROM python:3.11-slim-bookworm
# libseccomp: the cage of the parser. tesseract's data: OCR. postgresql-client: backups.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libseccomp2 postgresql-client tesseract-ocr-eng \
    && rm -rf /var/lib/apt/lists/*
ARG EXTRAS=server,s3
ARG TORCH_INDEX=https://pypi.org/simple
COPY --from=build /wheels /wheels
RUN case ",$EXTRAS," in *,torch,*) \
        pip install --no-cache-dir --index-url "$TORCH_INDEX" torch==2.13.0 ;; esac \
    && pip install --no-cache-dir "$(echo /wheels/*.whl)[$EXTRAS]" && rm -rf /wheels \
    && useradd --uid 10001 --create-home spanproof \
    && install --directory --owner=10001 --mode=0700 /var/lib/spanproof
USER 10001
WORKDIR /var/lib/spanproof
ENV SPANPROOF_HOME=/var/lib/spanproof/home
VOLUME /var/lib/spanproof
EXPOSE 8321
ENTRYPOINT ["spanproof"]
CMD ["serve", "--host", "0.0.0.0"]
