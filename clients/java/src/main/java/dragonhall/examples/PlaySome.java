package dragonhall.examples;

import dragonhall.v1.CatalogServiceGrpc;
import dragonhall.v1.CreateMatchRequest;
import dragonhall.v1.DragonheartEdition;
import dragonhall.v1.DragonheartSetup;
import dragonhall.v1.GameSetup;
import dragonhall.v1.GetMatchRequest;
import dragonhall.v1.GetServerInfoRequest;
import dragonhall.v1.JoinMatchRequest;
import dragonhall.v1.ListLegalMovesRequest;
import dragonhall.v1.MatchOptions;
import dragonhall.v1.MatchServiceGrpc;
import dragonhall.v1.MatchServiceGrpc.MatchServiceBlockingStub;
import dragonhall.v1.SubmitMoveRequest;
import dragonhall.v1.Visibility;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/** Asks a server who it is, creates a match, takes both seats and plays some moves. */
public final class PlaySome {
  private static final int MOVES = 12;
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final MatchServiceBlockingStub matches;

  private PlaySome(ManagedChannel channel) {
    matches = MatchServiceGrpc.newBlockingStub(channel);
  }

  /** Makes a token: the only proof of who you are, so keep it. */
  private static String newToken() {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  private static String newRequestId() {
    return UUID.randomUUID().toString();
  }

  /** A stub whose calls are made by the holder of a token. */
  private MatchServiceBlockingStub as(String token) {
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    return matches.withInterceptors(MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  /** Creates a public match and returns its id. */
  private String create() {
    var edition = DragonheartEdition.DRAGONHEART_EDITION_STANDARD;
    var game = DragonheartSetup.newBuilder().setEdition(edition);
    var options =
        MatchOptions.newBuilder()
            .setSetup(GameSetup.newBuilder().setDragonheart(game))
            .setVisibility(Visibility.VISIBILITY_PUBLIC);
    var request =
        CreateMatchRequest.newBuilder()
            .setRequestId(newRequestId())
            .setToken(newToken())
            .setOptions(options);
    return matches.createMatch(request.build()).getMatch().getMatchId();
  }

  /** Takes the next open seat and returns its token. */
  private String join(String matchId) {
    String token = newToken();
    matches.joinMatch(
        JoinMatchRequest.newBuilder()
            .setMatchId(matchId)
            .setRequestId(newRequestId())
            .setToken(token)
            .setPlayerName("Java")
            .build());
    return token;
  }

  /** Plays the first legal move of the seat whose turn it is and returns its version. */
  private long move(String matchId, List<String> tokens) {
    var now = matches.getMatch(GetMatchRequest.newBuilder().setMatchId(matchId).build());
    var seat = as(tokens.get(now.getMatch().getSeatToMove()));
    var legal =
        seat.listLegalMoves(ListLegalMovesRequest.newBuilder().setMatchId(matchId).build());
    return seat.submitMove(
            SubmitMoveRequest.newBuilder()
                .setMatchId(matchId)
                .setRequestId(newRequestId())
                .setExpectedVersion(legal.getVersion())
                .setMove(legal.getMoves(0))
                .build())
        .getVersion();
  }

  /** Plays a new match for a while. */
  private void play() {
    String matchId = create();
    List<String> tokens = List.of(join(matchId), join(matchId));
    long last = move(matchId, tokens);
    for (int i = 1; i < MOVES; i++) {
      long version = move(matchId, tokens);
      if (version != last + 1) {
        throw new IllegalStateException("version " + version + " came after " + last);
      }
      last = version;
    }
    System.out.printf("%s: %d moves, version %d%n", matchId, MOVES, last);
  }

  /** Runs against the server at args[0], host:port. */
  public static void main(String[] args) {
    if (args.length != 1) {
      System.err.println("PlaySome HOST:PORT");
      System.exit(2);
    }
    var channel = Grpc.newChannelBuilder(args[0], InsecureChannelCredentials.create()).build();
    try {
      var catalog = CatalogServiceGrpc.newBlockingStub(channel);
      var info = catalog.getServerInfo(GetServerInfoRequest.getDefaultInstance());
      System.out.println("server " + info.getServerVersion());
      new PlaySome(channel).play();
    } finally {
      channel.shutdownNow();
    }
  }
}
