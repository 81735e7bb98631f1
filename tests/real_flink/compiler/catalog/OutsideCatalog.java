package outside;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.catalog.CatalogBaseTable;
import org.apache.flink.table.catalog.CatalogTable;
import org.apache.flink.table.catalog.GenericInMemoryCatalog;
import org.apache.flink.table.catalog.ObjectPath;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.factories.CatalogFactory;

/** A catalog that stands for one outside of Flink's memory: it has a table `there`, and tells of each change. */
public class OutsideCatalog extends GenericInMemoryCatalog {
  OutsideCatalog(String name) throws Exception {
    super(name, "db");
    CatalogTable table = CatalogTable.newBuilder().schema(Schema.newBuilder().column("a", DataTypes.INT()).build())
        .options(java.util.Map.of("connector", "datagen")).build();
    super.createTable(new ObjectPath("db", "there"), table, false);
  }

  @Override
  public void createTable(ObjectPath path, CatalogBaseTable table, boolean ignore)
      throws org.apache.flink.table.catalog.exceptions.TableAlreadyExistException,
          org.apache.flink.table.catalog.exceptions.DatabaseNotExistException {
    System.out.println("CREATED " + path);
    super.createTable(path, table, ignore);
  }

  public static class Factory implements CatalogFactory {
    @Override
    public String factoryIdentifier() {
      return "outside";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
      return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
      return Set.of();
    }

    @Override
    public Catalog createCatalog(Context context) {
      try {
        return new OutsideCatalog(context.getName());
      } catch (Exception error) {
        throw new RuntimeException(error);
      }
    }
  }
}
