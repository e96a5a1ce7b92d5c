# The program and its model in a small image:
#     docker build -t lal .
#     docker run -i --rm lal parse < text > trees
#     docker run -i --rm -v "$PWD:/work" -u "$(id -u):$(id -g)" lal train --train T.trees --dev D.trees --out my.lal
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make pkg-config \
    libopenblas-dev libutf8proc-dev libcjson-dev zlib1g-dev libexpat1-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN make -s PREFIX=/usr install DESTDIR=/out && strip /out/usr/bin/*

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
    libopenblas0-pthread libutf8proc2 libcjson1 zlib1g libexpat1 && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr/bin/ /usr/bin/
COPY --from=build /out/usr/share/lalparser/ /usr/share/lalparser/
COPY --from=build /out/usr/share/doc/lalparser/ /usr/share/doc/lalparser/
WORKDIR /work
USER nobody
ENTRYPOINT ["lal"]
CMD ["help"]
